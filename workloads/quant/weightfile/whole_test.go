package weightfile

// ReadFloat32 reads a whole tensor, row by row; F64 is rounded to float32.
func (f *File) ReadFloat32(name string) ([]float32, error) {
	t, err := f.Tensor(name)
	if err != nil {
		return nil, err
	}
	if err := f.readable(t); err != nil {
		return nil, err
	}
	dst := make([]float32, t.Elements()) // safe, because the file contains them: at most eight per byte
	return dst, f.ReadFloat32At(t, dst, 0)
}
