package graph

// Example is a graph that Assay comes with.
type Example struct{ Name, Title, About, Text string }

// Examples lists them. Each has a size that can be changed.
func Examples() []Example {
	return []Example{
		{"mlp", "MLP", "Two layers with a bias, GELU after the first.", `size rows = 256
size width = 512
x = input f32 [rows, width]
w1 = input f32 [width, 4*width]
b1 = input f32 [4*width]
w2 = input f32 [4*width, width]
b2 = input f32 [width]
hidden = gelu(matmul(x, w1) + b1)
y = matmul(hidden, w2) + b2
output y
`},
		{"conv", "Convolution block", "A convolution with bias and ReLU, then a second one with the input added.", `size channels = 16
size side = 64
x = input f32 [1, channels, side, side]
f1 = input f32 [channels, channels, 3, 3]
b1 = input f32 [channels, 1, 1]
f2 = input f32 [channels, channels, 3, 3]
b2 = input f32 [channels, 1, 1]
h = relu(conv2d(x, f1, pad=1) + b1)
y = relu(conv2d(h, f2, pad=1) + b2 + x)
output y
`},
		{"attention", "Attention block", "Heads of attention as frameworks write it, then a sum and a normalization.", `size heads = 8
size tokens = 256
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
	}
}
