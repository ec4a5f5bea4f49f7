package clang

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

var (
	ptxExtern = regexp.MustCompile(`(?m)^\.extern \.func[^;]*?\s([A-Za-z_$][\w$.]*)\s*\(`)
	ptxFunc   = regexp.MustCompile(`(?m)^(?:\.visible |\.weak )?\.func\s*(?:\([^)]*\)\s*)?([A-Za-z_$][\w$.]*)\s*\(`)
	ptxName   = regexp.MustCompile(`[A-Za-z_$][\w$.]*`)
)

// missingFunctions returns the functions that PTX declares but does not define, with the entries from which calls lead there;
// symbols has the entries by symbol.
func missingFunctions(ptx string, symbols map[string]int) map[string][]int {
	missing := map[string][]int{}
	for _, m := range ptxExtern.FindAllStringSubmatch(ptx, -1) {
		missing[m[1]] = nil
	}
	if len(missing) == 0 {
		return nil
	}
	calls := callGraph(ptx, missing)
	for symbol, i := range symbols {
		for _, name := range reached(calls, symbol) {
			if _, ok := missing[name]; ok {
				missing[name] = append(missing[name], i)
			}
		}
	}
	maps.DeleteFunc(missing, func(_ string, callers []int) bool { return len(callers) == 0 })
	return missing
}

// callGraph lists the functions that each function of the text mentions, defined or missing.
func callGraph(ptx string, missing map[string][]int) map[string][]string {
	starts := ptxFunc.FindAllStringSubmatchIndex(ptx, -1)
	known := map[string]bool{}
	for name := range missing {
		known[name] = true
	}
	for _, at := range starts {
		known[ptx[at[2]:at[3]]] = true
	}
	calls := map[string][]string{}
	for i, at := range starts {
		end := len(ptx)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		_, body, defined := strings.Cut(ptx[at[1]:end], "\n{")
		if !defined {
			continue
		}
		body, _, _ = strings.Cut(body, "\n}") // comments after it name the next function
		name, mentioned := ptx[at[2]:at[3]], map[string]bool{}
		for _, word := range ptxName.FindAllString(body, -1) {
			if known[word] && word != name {
				mentioned[word] = true
			}
		}
		calls[name] = slices.Collect(maps.Keys(mentioned))
	}
	return calls
}

// reached lists the functions that calls from one function lead to.
func reached(calls map[string][]string, from string) []string {
	seen := map[string]bool{from: true}
	list := []string{from}
	for i := 0; i < len(list); i++ {
		for _, next := range calls[list[i]] {
			if !seen[next] {
				seen[next] = true
				list = append(list, next)
			}
		}
	}
	return list[1:]
}
