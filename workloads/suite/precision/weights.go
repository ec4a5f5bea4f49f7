package precision

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/quant"
	"assay/workloads/quant/weightfile"
)

// weightSource is a weight matrix that is not yet in memory.
type weightSource struct {
	kind  string // value of the axis weights
	title string
	key   string // identifies its weights in the cache
	rows  int
	cols  int
	next  func() bench.FloatReader // reads it from the start, in order
}

// weightSources lists the weights that v asks for. done closes the file, if one was opened.
func weightSources(v workloads.Values, seed uint64) (sources []weightSource, done func(), err error) {
	chosen, rows, cols := v.String("weights"), v.Int("rows"), v.Int("cols")
	for _, g := range []struct {
		kind     string
		outliers quant.Outliers
	}{{"normal", quant.Outliers{}}, {"outliers", quant.UsualOutliers()}} {
		if chosen == "all" || chosen == g.kind {
			sources = append(sources, generatedWeights(g.kind, g.outliers, rows, cols, seed))
		}
	}
	done = func() {}
	if path := v.String("file"); path != "" && (chosen == "all" || chosen == "file") {
		file, err := weightfile.OpenPaths([]string{path})
		if err != nil {
			return nil, nil, workloads.Kinded(workloads.BadWeights, err)
		}
		src, err := fileWeights(file, v.String("tensor"))
		if err != nil {
			return nil, nil, errors.Join(err, file.Close())
		}
		src.key = fileKey(file, src.title)
		sources = append(sources, src)
		done = func() { _ = file.Close() } // it was only read
	}
	return sources, done, nil
}

// filesReadable rejects a file or a tensor that cannot be measured. It reads no weights.
func filesReadable(v workloads.Values) error {
	sources, done, err := weightSources(v, 0)
	if err != nil {
		return err
	}
	defer done()
	if v.String("activations") != "file" {
		return nil
	}
	for i := range sources {
		file, _, err := openInputs(v.String("activations_file"), v.Int("batch"), sources[i].cols)
		if err != nil {
			return workloads.Kinded(workloads.BadWeights, err)
		}
		_ = file.Close() // nothing was written
	}
	return nil
}

func generatedWeights(kind string, o quant.Outliers, rows, cols int, seed uint64) weightSource {
	key := fmt.Sprintf("%s %d×%d, seed %d", kind, rows, cols, seed)
	return weightSource{kind: kind, title: kind, key: key, rows: rows, cols: cols, next: func() bench.FloatReader {
		g := quant.NewGenerator(seed, cols, o)
		return func(dst []float32, _ int) error {
			g.Fill(dst)
			return nil
		}
	}}
}

// fileWeights returns a tensor of the file: the one with that name, or the largest with two dimensions.
func fileWeights(file *weightfile.File, name string) (weightSource, error) {
	var t *weightfile.Tensor
	var err error
	if name == "" {
		t, err = largestMatrix(file)
		err = workloads.Kinded(workloads.BadWeights, err)
	} else {
		t, err = file.Tensor(name)
		err = workloads.Kinded(workloads.NoTensor, err)
	}
	if err != nil {
		return weightSource{}, err
	}
	if err := checkMatrix(file, t); err != nil {
		return weightSource{}, workloads.Kinded(workloads.BadWeights, err)
	}
	cols := int(t.Shape[1])
	return weightSource{kind: "file", title: t.Name, rows: int(t.Shape[0]), cols: cols, next: func() bench.FloatReader {
		return func(dst []float32, at int) error {
			if err := file.ReadFloat32At(t, dst, int64(at)); err != nil {
				return workloads.Kinded(workloads.BadWeights, err)
			}
			return workloads.Kinded(workloads.BadWeights, checkWeights(file, t, dst, at))
		}
	}}, nil
}

// fileKey identifies a file's tensor in the cache; it changes when one of its parts is rewritten.
func fileKey(file *weightfile.File, tensor string) string {
	key := fmt.Sprintf("%s %q", file.Name(), tensor)
	for _, part := range file.Parts() {
		info, err := os.Stat(part)
		if err != nil { // deleted since it was opened: matches nothing
			return fmt.Sprintf("%s at %v", key, time.Now())
		}
		key += fmt.Sprintf(", %d B of %v", info.Size(), info.ModTime())
	}
	return key
}

// largestMatrix returns the largest readable tensor with two dimensions; ties go to the first by name.
func largestMatrix(file *weightfile.File) (*weightfile.Tensor, error) {
	var best *weightfile.Tensor
	tensors := file.Tensors()
	slices.SortFunc(tensors, func(a, b weightfile.Tensor) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	for i := range tensors {
		t := &tensors[i]
		if checkMatrix(file, t) == nil && (best == nil || t.Elements() > best.Elements()) {
			best = t
		}
	}
	if best == nil {
		return nil, fmt.Errorf("%s: %d tensors, none a non-empty matrix whose type can be read",
			file.Name(), len(tensors))
	}
	return best, nil
}

// checkMatrix rejects a tensor that is not a matrix that the kernels can use.
func checkMatrix(file *weightfile.File, t *weightfile.Tensor) error {
	const most = math.MaxInt32
	if len(t.Shape) != 2 || t.Elements() == 0 {
		return fmt.Errorf("%s: tensor %q has shape %v, want two nonzero dimensions", file.Name(), t.Name, t.Shape)
	}
	if t.Shape[0] > most || t.Shape[1] > most {
		return fmt.Errorf("%s: tensor %q has shape %v, the limit of a dimension is %d", file.Name(), t.Name, t.Shape, most)
	}
	if err := file.ReadFloat32At(t, nil, 0); err != nil { // the dtype
		return err
	}
	return nil
}

// largestWeight keeps sums of products within the range of f32.
const largestWeight = 1e30

// checkWeights rejects weights for which the quantizers are not defined; the first is element at of the tensor.
func checkWeights(file *weightfile.File, t *weightfile.Tensor, w []float32, at int) error {
	for i, v := range w {
		if math.Abs(float64(v)) <= largestWeight { // false for NaN
			continue
		}
		cols := int(t.Shape[1])
		return fmt.Errorf("%s: tensor %q: weight [%d, %d] is %g; only finite weights up to ±%g can be quantized", file.Name(),
			t.Name, (at+i)/cols, (at+i)%cols, v, largestWeight)
	}
	return nil
}
