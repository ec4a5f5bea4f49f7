package precision

import (
	"errors"
	"fmt"

	"assay/gpu"
	"assay/internal/si"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/quant"
	"assay/workloads/quant/weightfile"
)

// uniform activations are the default: times do not depend on their values.
const uniform = "uniform"

// activationsSuffix is the suffix of case names for activations other than the default.
func activationsSuffix(v workloads.Values) string {
	switch a := v.String("activations"); a {
	case uniform:
		return ""
	case "file":
		return ", activations of a file"
	default:
		return ", activations with " + a
	}
}

// usesActivationsFile rejects a file of activations that is not read.
func usesActivationsFile(v workloads.Values) error {
	if v.String("activations") != "file" && v.String("activations_file") == "" {
		return errors.New("activations do not come from a file: choose file")
	}
	return nil
}

// activate sets the layer's inputs, [batch, cols].
func (l *layer) activate(v workloads.Values) (err error) {
	switch v.String("activations") {
	case "outliers":
		g := quant.NewGenerator(l.Seed()+1, l.cols, quant.UsualOutliers())
		return l.read(fmt.Sprintf("with outliers, seed %d", l.Seed()+1), func(dst []float32, _ int) error {
			g.Fill(dst)
			return nil
		})
	case "file":
		return workloads.Kinded(workloads.BadWeights, l.readFile(v.String("activations_file")))
	}
	l.given = fmt.Sprintf("uniform, seed %d", l.Seed())
	l.x, err = l.Random(shaders.F32, l.batch*l.cols, "activations")
	return err
}

// readFile reads the inputs from the file that contains them.
func (l *layer) readFile(path string) error {
	file, t, err := openInputs(path, l.batch, l.cols)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	return l.read(fileKey(file, t.Name), func(dst []float32, at int) error {
		if err := file.ReadFloat32At(t, dst, int64(at)); err != nil {
			return err
		}
		return checkWeights(file, t, dst, at)
	})
}

// read gets the inputs from next, unless the cache has those of the key.
func (l *layer) read(key string, next bench.FloatReader) (err error) {
	n := l.batch * l.cols
	l.given = key
	l.x, err = bench.Cached(l.Scope, fmt.Sprintf("activations %d×%d, %s", l.batch, l.cols, key), func(s *bench.Scope) (gpu.Buffer, error) {
		b, err := s.Buffer(shaders.F32, n, "activations")
		if err != nil {
			return nil, err
		}
		return b, s.FillFloats(b, shaders.F32, n, next)
	})
	return err
}

// openInputs opens a file of activations. The caller closes it.
func openInputs(path string, batch, cols int) (*weightfile.File, *weightfile.Tensor, error) {
	file, err := weightfile.Open(path)
	if err != nil {
		return nil, nil, err
	}
	t, err := inputsOf(file, batch, cols)
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, t, nil
}

// inputsOf returns the first tensor of the file that holds a batch of inputs: a matrix with cols columns and enough rows.
func inputsOf(file *weightfile.File, batch, cols int) (*weightfile.Tensor, error) {
	tensors := file.Tensors()
	for i := range tensors {
		t := &tensors[i]
		if checkMatrix(file, t) == nil && t.Shape[1] == int64(cols) && t.Shape[0] >= int64(batch) {
			return t, nil
		}
	}
	return nil, fmt.Errorf("%s: none of its tensors is a matrix of %d columns and at least %s, which activations need", file.Name(), cols,
		si.Counted(batch, "row"))
}
