package memory

import (
	"regexp"
	"strconv"
	"strings"

	"assay/workloads"
	"assay/workloads/quant"
	"assay/workloads/quant/weightfile"
)

// model describes a transformer by a few numbers, as far as they determine its memory.
type model struct {
	layers, hidden, kv, ffn, vocab, heads int // kv: columns of a token's keys, and of its values
	weights                               quant.Format
	cache                                 quant.Kind // of keys and values
	tokens                                int        // of a request, computed at once
	naive                                 bool       // attention stores its scores
	stored                                []int64    // bytes of the tensors in a file, in place of weights computed from the numbers above
}

// category is one kind of a model's memory.
type category struct {
	name, about string
	// buffers are the sizes of its buffers, in bytes.
	buffers func(m *model, batch, context int) []int64
}

// categories of memory, in the order in which they are stacked.
func categories() []category {
	return []category{
		{"weights", "embeddings, projections and feed-forward layers", func(m *model, _, _ int) []int64 { return m.weightBuffers() }},
		{"KV cache", "keys and values of all tokens of all requests", (*model).cacheBuffers},
		{"activations", "what one layer reads and writes, in f16", (*model).activationBuffers},
		{"temporary", "logits, and the scores of non-flash attention, in f32", (*model).temporaryBuffers},
	}
}

// weightBuffers are the input and output embeddings, and one buffer per layer.
func (m *model) weightBuffers() []int64 {
	if m.stored != nil {
		return m.stored
	}
	matrix := func(rows, cols int) int64 { return m.weights.Bytes(rows, cols) }
	h := m.hidden
	attention := 2*matrix(h, h) + 2*matrix(m.kv, h)
	feedForward := 2*matrix(m.ffn, h) + matrix(h, m.ffn)
	const norms = 2 * 2 // two, of two bytes per element
	list := []int64{matrix(m.vocab, h), matrix(m.vocab, h)}
	for range m.layers {
		list = append(list, attention+feedForward+norms*int64(h))
	}
	return list
}

func (m *model) cacheBuffers(batch, context int) []int64 {
	var list []int64
	one := int64(batch) * m.cacheRow(context)
	for range m.layers {
		list = append(list, one, one)
	}
	return list
}

// cacheRow returns the bytes of the keys of one request.
func (m *model) cacheRow(context int) int64 {
	return quant.Format{Kind: m.cache, Block: cacheBlock}.Bytes(context, m.kv)
}

// cacheBlock is how many codes of a key or value share a scale if they are quantized.
const cacheBlock = 32

// activationBuffers are the residual stream, its norm, the queries, keys and values, the attention's output, and the two halves of the
// feed-forward layer.
func (m *model) activationBuffers(batch, _ int) []int64 {
	const size = 2
	rows := int64(batch) * int64(m.tokens) * size
	h := int64(m.hidden)
	return []int64{rows * h, rows * h, rows * (h + 2*int64(m.kv)), rows * h, rows * int64(m.ffn), rows * int64(m.ffn)}
}

func (m *model) temporaryBuffers(batch, context int) []int64 {
	const size = 4
	list := []int64{size * int64(batch) * int64(m.vocab)}
	if m.naive {
		list = append(list, size*int64(batch)*int64(m.heads)*int64(m.tokens)*int64(context))
	}
	return list
}

// buffers returns the sizes of the buffers of all categories.
func (m *model) buffers(batch, context int) []int64 {
	var list []int64
	for _, c := range categories() {
		list = append(list, c.buffers(m, batch, context)...)
	}
	return list
}

// bytesOf returns the total size of buffers; an empty one takes a byte.
func bytesOf(sizes []int64) float64 {
	var sum int64
	for _, n := range sizes {
		sum += max(n, 1)
	}
	return float64(sum)
}

// planned returns the model for the values.
func planned(v workloads.Values) (*model, error) {
	kind, _ := quant.ParseKind(v.String("weights"))
	cache, _ := quant.ParseKind(v.String("cache"))
	m := &model{
		layers: v.Int("layers"), hidden: v.Int("hidden"), ffn: v.Int("ffn"), vocab: v.Int("vocab"), heads: v.Int("heads"),
		weights: quant.Format{Kind: kind, Block: weightBlock}, cache: cache, tokens: v.Int("tokens"), naive: v.String("attention") == "naive",
	}
	m.kv = m.hidden / m.heads * v.Int("kv_heads")
	if path := v.String("file"); path != "" {
		return m, m.read(path)
	}
	return m, nil
}

// weightBlock is how many quantized weights share a scale and a zero point.
const weightBlock = 64

// read takes the weights from a file's header, and those of the other numbers that can be derived from its tensors.
func (m *model) read(path string) error {
	f, err := weightfile.OpenPaths([]string{path})
	if err != nil {
		return err
	}
	layers := 0
	for _, t := range f.Tensors() {
		m.stored = append(m.stored, t.Bytes())
		if at := layerOf.FindStringSubmatch(t.Name); at != nil {
			n, _ := strconv.Atoi(at[1]) // 0 if out of range
			layers = max(layers, min(n, maxLayers-1)+1)
		}
		m.learn(&t)
	}
	if layers > 0 {
		m.layers = layers
	}
	return f.Close()
}

// maxLayers is the maximum number of layers of a model.
const maxLayers = 1024

// layerOf finds the layer number in the name of a tensor: "model.layers.31.mlp.up_proj.weight", "h.11.attn", "blk.0.ffn_up".
var layerOf = regexp.MustCompile(`(?:^|\.)(?:layers|h|blk|blocks)\.(\d+)\.`)

// learn derives numbers of the model from the rows and columns of a matrix, identified by its name.
func (m *model) learn(t *weightfile.Tensor) {
	if len(t.Shape) != 2 || t.Elements() == 0 {
		return
	}
	for name, rows := range map[string]*int{
		"embed_tokens": &m.vocab, "wte": &m.vocab, "token_embd": &m.vocab,
		"up_proj": &m.ffn, "ffn_up": &m.ffn, "k_proj": &m.kv, "attn_k.": &m.kv,
	} {
		if strings.Contains(t.Name, name) {
			*rows, m.hidden = int(t.Shape[0]), int(t.Shape[1])
		}
	}
}
