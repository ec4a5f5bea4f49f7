package graph

// Example is a built-in graph.
type Example struct{ Name, Title, About, Text string }

// Examples lists them. The first size of each sets the amount of work: rows, tokens, the side of an image.
func Examples() []Example {
	return []Example{
		{"mlp", "MLP", "Two layers with a bias, GELU after the first.", `size rows = 256
size width = 256
x = input f32 [rows, width]
w1 = input f32 [width, 4*width]
b1 = input f32 [4*width]
w2 = input f32 [4*width, width]
b2 = input f32 [width]
hidden = gelu(matmul(x, w1) + b1)
y = matmul(hidden, w2) + b2
output y
`},
		{"conv", "Convolution block", "A convolution with bias and ReLU, then a second one with the input added.", `size side = 64
size channels = 16
x = input f32 [1, channels, side, side]
f1 = input f32 [channels, channels, 3, 3]
b1 = input f32 [channels, 1, 1]
f2 = input f32 [channels, channels, 3, 3]
b2 = input f32 [channels, 1, 1]
h = relu(conv2d(x, f1, pad=1) + b1)
y = relu(conv2d(h, f2, pad=1) + b2 + x)
output y
`},
		{"attention", "Attention block", "Attention heads as frameworks write them, then a residual add and a normalization.", `size tokens = 256
size heads = 8
q = input f32 [heads, tokens, 64]
k = input f32 [heads, tokens, 64]
v = input f32 [heads, tokens, 64]
x = input f32 [heads, tokens, 64]
weight = input f32 [64]
bias = input f32 [64]
scores = matmul(q, transpose(k)) * 0.125
heard = matmul(softmax(scores), v)
y = layernorm(x + heard, weight, bias)
output y
`},
		{"block", "Transformer layer", "Attention of one head with a mask, and an MLP, each with a residual add and a normalization.", `size tokens = 256
size hidden = 256
x = input f32 [tokens, 64]
wq = input f32 [64, 64]
wk = input f32 [64, 64]
wv = input f32 [64, 64]
wo = input f32 [64, 64]
mask = input f32 [tokens, tokens]
n1 = input f32 [64]
c1 = input f32 [64]
w1 = input f32 [64, hidden]
b1 = input f32 [hidden]
w2 = input f32 [hidden, 64]
b2 = input f32 [64]
n2 = input f32 [64]
c2 = input f32 [64]
scores = matmul(matmul(x, wq), transpose(matmul(x, wk))) * 0.125
heard = matmul(softmax(scores + mask), matmul(x, wv))
h = layernorm(x + matmul(heard, wo), n1, c1)
m = matmul(gelu(matmul(h, w1) + b1), w2) + b2
y = layernorm(h + m, n2, c2)
output y
`},
		{"swiglu", "SwiGLU", "The feed-forward block of Llama, with its normalization.", `size tokens = 128
size width = 256
x = input f32 [tokens, width]
norm = input f32 [width]
gate = input f32 [width, 4*width]
up = input f32 [width, 4*width]
down = input f32 [4*width, width]
h = rmsnorm(x, norm)
y = x + matmul(silu(matmul(h, gate)) * matmul(h, up), down)
output y
`},
		{"norm", "Residual and normalization", "A residual sum that its normalization and a later add need, as in a pre-norm transformer.", `size rows = 1024
size columns = 512
x = input f32 [rows, columns]
y = input f32 [rows, columns]
weight = input f32 [columns]
bias = input f32 [columns]
s = x + y
n = layernorm(s, weight, bias)
z = s + relu(n)
output z
`},
		{"chain", "Elementwise chain", "Nine elementwise operations with a scale and a shift of each column, and the mean of each row.", `size rows = 1024
size columns = 1024
x = input f32 [rows, columns]
y = input f32 [rows, columns]
scale = input f32 [columns]
shift = input f32 [columns]
t = tanh(x * scale + shift)
z = gelu(t - y) * sigmoid(y) + 0.5 * x
m = mean(abs(z) * z)
output m
`},
		{"loss", "Weighted error", "The mean of weighted squared errors of each row: a chain with a reduction at its end.", `size rows = 1024
size columns = 1024
prediction = input f32 [rows, columns]
target = input f32 [rows, columns]
weight = input f32 [columns]
e = square(prediction - target) * weight
m = mean(e)
output m
`},
	}
}
