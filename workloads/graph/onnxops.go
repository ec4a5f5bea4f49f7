package graph

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// onnxOps maps each supported ONNX operation to how the text writes it.
func onnxOps() map[string]func(c *call) (string, error) {
	all := map[string]func(c *call) (string, error){
		"Identity": (*call).same, "Dropout": (*call).same, "Pow": (*call).pow, "Reciprocal": written("1 / %s"), "Gelu": (*call).gelu, "FastGelu": written("gelu(%s)"),
		"MatMul": written("matmul(%s, %s)"), "Gemm": (*call).gemm, "Conv": (*call).conv, "Softmax": (*call).softmax, "Transpose": (*call).transpose,
		"LayerNormalization": (*call).layerNorm, "RMSNormalization": (*call).rmsNorm, "SimplifiedLayerNormalization": (*call).rmsNorm,
		"Reshape": (*call).reshape, "Flatten": (*call).flatten, "Squeeze": (*call).squeeze, "Unsqueeze": (*call).unsqueeze,
		"Max": (*call).folded, "Min": (*call).folded, "Sum": (*call).added, "ReduceSum": reducedBy("sum"), "ReduceMean": reducedBy("mean"), "ReduceMax": reducedBy("largest"),
	}
	for op, sign := range map[string]string{"Add": "+", "Sub": "-", "Mul": "*", "Div": "/"} {
		all[op] = written("%s " + sign + " %s")
	}
	for op, name := range map[string]string{
		"Relu": "relu", "Sigmoid": "sigmoid", "Tanh": "tanh", "Exp": "exp", "Log": "log", "Sqrt": "sqrt", "Neg": "neg", "Abs": "abs", "Silu": "silu", "Swish": "silu",
	} {
		all[op] = written(name + "(%s)")
	}
	return all
}

// written returns an operation with as many arguments as the text has placeholders.
func written(text string) func(c *call) (string, error) {
	return func(c *call) (string, error) {
		var args []any
		for n := range strings.Count(text, "%s") {
			a, err := c.arg(n)
			if err != nil {
				return "", err
			}
			if a == "" {
				return "", fmt.Errorf("argument %d is missing", n+1)
			}
			args = append(args, a)
		}
		return fmt.Sprintf(text, args...), nil
	}
}

// same passes its argument through.
func (c *call) same() (string, error) { return c.arg(0) }

func (c *call) pow() (string, error) {
	x, err := c.arg(0)
	if err != nil || len(c.node.in) < 2 {
		return "", errors.Join(err, nil)
	}
	t := c.tensors[c.node.in[1]]
	switch {
	case t == nil || len(t.values) != 1:
		return "", errors.New("the exponent is computed, want 3, 2, 0.5 or -1")
	case t.values[0] == 2:
		return "square(" + x + ")", nil
	case t.values[0] == 3:
		return "square(" + x + ") * " + x, nil
	case t.values[0] == 0.5:
		return "sqrt(" + x + ")", nil
	case t.values[0] == -1:
		return "1 / " + x, nil
	}
	return "", fmt.Errorf("an exponent of %g, want 3, 2, 0.5 or -1", t.values[0])
}

func (c *call) gelu() (string, error) {
	if c.node.attrs["approximate"].s == "tanh" {
		return written("gelu(%s)")(c)
	}
	return written("gelu_erf(%s)")(c)
}

// folded returns the minimum or maximum of any number of arguments.
func (c *call) folded() (string, error) {
	name := strings.ToLower(c.node.op)
	text, err := c.arg(0)
	for n := 1; n < len(c.node.in) && err == nil; n++ {
		var next string
		next, err = c.arg(n)
		text = fmt.Sprintf("%s(%s, %s)", name, text, next)
	}
	return text, err
}

// added returns the sum of any number of arguments.
func (c *call) added() (string, error) {
	var all []string
	for n := range c.node.in {
		a, err := c.arg(n)
		if err != nil {
			return "", err
		}
		all = append(all, a)
	}
	return strings.Join(all, " + "), nil
}

// gemm returns alpha · a · b + beta · c, with a and b optionally transposed.
func (c *call) gemm() (string, error) {
	var args [2]string
	for n, attr := range []string{"transA", "transB"} {
		a, err := c.arg(n)
		if err != nil {
			return "", err
		}
		if args[n] = a; c.attr(attr, 0) != 0 {
			args[n] = "transpose(" + a + ")"
		}
	}
	scaled := func(text, attr string) (string, error) {
		a, has := c.node.attrs[attr]
		if !has || a.f == 1 {
			return text, nil
		}
		x, err := number(a.f)
		return text + " * " + x, err
	}
	text, err := scaled(fmt.Sprintf("matmul(%s, %s)", args[0], args[1]), "alpha")
	if err != nil {
		return "", err
	}
	bias, err := c.arg(2)
	if err != nil || bias == "" {
		return text, err
	}
	bias, err = scaled(bias, "beta")
	return text + " + " + bias, err
}

// conv returns a convolution with square filters, and the same stride and padding on all sides.
func (c *call) conv() (string, error) {
	x, err := c.arg(0)
	if err != nil {
		return "", err
	}
	w, err := c.arg(1)
	if err != nil {
		return "", err
	}
	one := func(attr string, byDefault int) (int, error) {
		list := c.node.attrs[attr].ints
		if len(list) == 0 {
			return byDefault, nil
		}
		if slices.ContainsFunc(list, func(n int) bool { return n != list[0] }) {
			return 0, fmt.Errorf("%s %v, want the same on all sides", attr, list)
		}
		return list[0], nil
	}
	stride, err := one("strides", 1)
	pad, err2 := one("pads", 0)
	dilation, err3 := one("dilations", 1)
	if err := errors.Join(err, err2, err3); err != nil {
		return "", err
	}
	auto := c.node.attrs["auto_pad"].s
	switch {
	case dilation != 1:
		return "", fmt.Errorf("a dilation of %d, want 1", dilation)
	case c.attr("group", 1) != 1:
		return "", fmt.Errorf("%d groups, want 1", c.attr("group", 1))
	case auto != "" && auto != "NOTSET" && auto != "VALID":
		return "", fmt.Errorf("auto_pad %s, want pads", auto)
	}
	text := fmt.Sprintf("conv2d(%s, %s, stride=%d, pad=%d)", x, w, stride, pad)
	bias, err := c.arg(2)
	if err != nil || bias == "" {
		return text, err
	}
	shape, err := c.shape(2)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s + reshape(%s, [%d, 1, 1])", text, bias, Elements(shape)), nil
}

// last rejects an axis other than the last one.
func (c *call) last(axis int) error {
	shape, err := c.shape(0)
	if err == nil && axis != -1 && axis != len(shape)-1 {
		err = fmt.Errorf("along dimension %d of %s, want the last one", axis, shapeText(shape))
	}
	return err
}

func (c *call) softmax() (string, error) {
	if err := c.last(c.attr("axis", -1)); err != nil {
		return "", err
	}
	return written("softmax(%s)")(c)
}

func (c *call) layerNorm() (string, error) {
	if err := c.last(c.attr("axis", -1)); err != nil {
		return "", err
	}
	if len(c.node.in) < 3 {
		return "", errors.New("it has no bias, which the operation has")
	}
	return c.normalized("layernorm(%s, %s, %s, eps=")
}

func (c *call) rmsNorm() (string, error) {
	if err := c.last(c.attr("axis", -1)); err != nil {
		return "", err
	}
	return c.normalized("rmsnorm(%s, %s, eps=")
}

func (c *call) normalized(text string) (string, error) {
	eps := 1e-5
	if a, has := c.node.attrs["epsilon"]; has {
		eps = a.f
	}
	if len(c.node.out) > 1 && slices.ContainsFunc(c.node.out[1:], func(name string) bool { return name != "" }) {
		return "", errors.New("it has more outputs than the normalized values")
	}
	return written(fmt.Sprintf("%s%.6g)", text, eps))(c)
}

// reducedBy returns a reduction along the last dimension, which remains with length 1 or is dropped.
func reducedBy(name string) func(c *call) (string, error) {
	return func(c *call) (string, error) {
		axes, err := c.fixed(1, "axes")
		if err != nil {
			return "", err
		}
		shape, err := c.shape(0)
		if err != nil {
			return "", err
		}
		switch {
		case len(axes) != 1 && (len(axes) != 0 || len(shape) != 1):
			return "", fmt.Errorf("along the dimensions %v of %s, want the last one", axes, shapeText(shape))
		case len(axes) == 1:
			if err := c.last(axes[0]); err != nil {
				return "", err
			}
		}
		x, err := c.arg(0)
		text := name + "(" + x + ")"
		if err != nil || c.attr("keepdims", 1) != 0 || len(shape) == 1 {
			return text, err
		}
		whole, err := c.temporary("kept", text)
		return reshaped(whole, shape[:len(shape)-1]), err
	}
}

func reshaped(text string, shape []int) string {
	return "reshape(" + text + ", " + shapeText(shape) + ")"
}

// to reshapes the first argument.
func (c *call) to(shape []int) (string, error) {
	if len(shape) == 0 {
		shape = []int{1}
	}
	x, err := c.arg(0)
	if from, e := c.shape(0); e == nil && slices.Equal(from, shape) {
		return x, err
	}
	return reshaped(x, shape), err
}

func (c *call) reshape() (string, error) {
	wanted, err := c.fixed(1, "shape")
	if err != nil {
		return "", err
	}
	from, err := c.shape(0)
	if err != nil {
		return "", err
	}
	shape, rest, open := slices.Clone(wanted), Elements(from), -1
	for d, n := range shape {
		if n == 0 && d < len(from) && c.attr("allowzero", 0) == 0 {
			shape[d] = from[d]
		}
		switch n := shape[d]; {
		case n == -1 && open < 0:
			open = d
		case n < 1 || rest%n != 0:
			return "", fmt.Errorf("%s into %v", shapeText(from), wanted)
		default:
			rest /= n
		}
	}
	if open >= 0 {
		shape[open] = rest
	}
	return c.to(shape)
}

func (c *call) flatten() (string, error) {
	from, err := c.shape(0)
	if err != nil {
		return "", err
	}
	axis := c.attr("axis", 1)
	if axis < 0 {
		axis += len(from)
	}
	if axis < 0 || axis > len(from) {
		return "", fmt.Errorf("along dimension %d of %s", axis, shapeText(from))
	}
	return c.to([]int{Elements(from[:axis]), Elements(from[axis:])})
}

func (c *call) squeeze() (string, error) {
	from, err := c.shape(0)
	if err != nil {
		return "", err
	}
	axes, err := c.fixed(1, "axes")
	if err != nil {
		return "", err
	}
	var shape []int
	for d, n := range from {
		named := slices.Contains(axes, d) || slices.Contains(axes, d-len(from))
		if named && n != 1 {
			return "", fmt.Errorf("dimension %d of %s is not 1", d, shapeText(from))
		}
		if !named && (axes != nil || n != 1) {
			shape = append(shape, n)
		}
	}
	return c.to(shape)
}

func (c *call) unsqueeze() (string, error) {
	from, err := c.shape(0)
	if err != nil {
		return "", err
	}
	axes, err := c.fixed(1, "axes")
	if err != nil {
		return "", err
	}
	total := len(from) + len(axes)
	if total > MaxDims {
		return "", fmt.Errorf("%d dimensions, want at most %d", total, MaxDims)
	}
	shape := make([]int, total)
	for _, a := range axes {
		if a < 0 {
			a += total
		}
		if a < 0 || a >= total || shape[a] != 0 {
			return "", fmt.Errorf("the dimensions %v of %d", axes, total)
		}
		shape[a] = 1
	}
	for d := range shape {
		if shape[d] == 0 {
			shape[d], from = from[0], from[1:]
		}
	}
	return c.to(shape)
}
