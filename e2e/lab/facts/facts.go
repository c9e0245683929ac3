// Prints what Kubernetes' module knows of its built-in kinds, as JSON: its OpenAPI, how Go declares fields, the columns of
// tables, the feature gates. reduce-facts.ts makes lines of it.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	aggregator "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"k8s.io/kube-openapi/pkg/validation/spec"

	extensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/controlplane"
	"k8s.io/kubernetes/pkg/generated/openapi"
	"k8s.io/kubernetes/pkg/printers/internalversion"
)

type field struct {
	Name string `json:"name"`
	// The structs that JSON inlines, as in Go's messages: `RuleWithOperations/Rule/`.
	Path      string `json:"path"`
	Number    string `json:"number"`
	OmitEmpty bool   `json:"omitEmpty"`
	OmitZero  bool   `json:"omitZero"`
	Kind      string `json:"kind"`
	Type      string `json:"type"`
}

type column struct {
	Name, Type, Format string
	Priority           int32
}

type gate struct {
	Stage   string `json:"stage"`
	Default bool   `json:"default"`
	Locked  bool   `json:"locked"`
}

var schemas = map[string]spec.Schema{}
var structs = map[string][]field{}

type named interface{ OpenAPIModelName() string }

// Declares a type and all that it refers to.
func declare(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		declare(t.Elem())
	case reflect.Map:
		declare(t.Elem())
	case reflect.Struct:
		model, ok := reflect.Zero(t).Interface().(named)
		if !ok {
			return
		}
		name := model.OpenAPIModelName()
		// Types without properties are scalars in JSON: quantities, times.
		if structs[name] != nil || len(schemas[name].Properties) == 0 {
			return
		}
		structs[name] = []field{}
		structs[name] = fieldsOf(t, "", "")
	}
}

func fieldsOf(t reflect.Type, path, numbers string) (fields []field) {
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		number := ""
		if parts := strings.Split(f.Tag.Get("protobuf"), ","); len(parts) > 1 {
			number = parts[1]
		}
		if name == "" && f.Anonymous {
			if f.Type == reflect.TypeFor[metav1.TypeMeta]() {
				fields = append(fields, field{Name: "kind", Kind: "type meta"})
				continue
			}
			fields = append(fields, fieldsOf(f.Type, path+f.Name+"/", numbers+number+".")...)
			continue
		}
		if name == "-" || name == "" {
			continue
		}
		declare(f.Type)
		fields = append(fields, field{
			Name: name, Path: path, Number: numbers + number, Kind: f.Type.Kind().String(),
			OmitEmpty: strings.Contains(options, "omitempty"), OmitZero: strings.Contains(options, "omitzero"),
			Type: f.Type.String(),
		})
	}
	return fields
}

var columns = map[string][]column{}

type tables struct{}

func (tables) TableHandler(definitions []metav1.TableColumnDefinition, print any) error {
	object := reflect.New(reflect.TypeOf(print).In(0).Elem()).Interface().(runtime.Object)
	kinds, _, err := legacyscheme.Scheme.ObjectKinds(object)
	if err != nil {
		panic(err)
	}
	list := []column{}
	for _, d := range definitions {
		list = append(list, column{d.Name, d.Type, d.Format, d.Priority})
	}
	columns[kinds[0].Group+"/"+kinds[0].Kind] = list
	return nil
}

func main() {
	ref := func(name string) spec.Ref { return spec.MustCreateRef("#/" + name) }
	for name, definition := range openapi.GetOpenAPIDefinitions(ref) {
		schemas[name] = definition.Schema
	}
	for gvk, t := range legacyscheme.Scheme.AllKnownTypes() {
		if gvk.Version != runtime.APIVersionInternal {
			declare(t)
		}
	}
	declare(reflect.TypeFor[extensions.CustomResourceDefinitionList]())
	declare(reflect.TypeFor[aggregator.APIServiceList]())
	declare(reflect.TypeFor[metav1.APIGroupList]())
	declare(reflect.TypeFor[metav1.APIVersions]())
	declare(reflect.TypeFor[metav1.APIResourceList]())
	internalversion.AddHandlers(tables{})
	gates := map[string]gate{}
	for name, g := range utilfeature.DefaultMutableFeatureGate.(featuregate.MutableVersionedFeatureGate).GetAll() {
		gates[string(name)] = gate{string(g.PreRelease), g.Default, g.LockToDefault}
	}
	err := json.NewEncoder(os.Stdout).Encode(map[string]any{
		"schemas": schemas, "structs": structs, "columns": columns, "gates": gates,
	})
	if err != nil {
		panic(err)
	}
}
