// Prints what Kubernetes' module knows of its built-in kinds, as JSON: its OpenAPI, how Go declares fields, the columns of
// tables, the feature gates. reduce-facts.ts makes lines of it.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
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

// What the server sets fields to that have no value, by definition and field, in JSON; "" if it depends on other fields.
var defaults = map[string]string{}

var chance = rand.New(rand.NewSource(1))

// Draws an object: lists have an item, pointers mostly a value, scalars sometimes one.
func draw(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Pointer:
		if depth > 14 || chance.Intn(3) == 0 {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		draw(v.Elem(), depth+1)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Struct && depth < 14 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			draw(v.Index(0), depth+1)
		}
	case reflect.Struct:
		properties := propertiesOf(v.Type())
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous && f.Type != reflect.TypeFor[metav1.TypeMeta]() {
				draw(v.Field(i), depth)
			} else if property, ok := properties[name]; ok {
				drawField(v.Field(i), property, depth)
			}
		}
	}
}

func drawField(v reflect.Value, property spec.Schema, depth int) {
	target := v
	if v.Kind() == reflect.Pointer && isScalar(v.Type().Elem().Kind()) {
		target = reflect.New(v.Type().Elem()).Elem()
	}
	if !isScalar(target.Kind()) {
		draw(v, depth)
		return
	}
	if chance.Intn(3) > 0 {
		return
	}
	switch target.Kind() {
	case reflect.String:
		values := append(property.Enum, "a")
		target.SetString(values[chance.Intn(len(values))].(string))
	case reflect.Bool:
		target.SetBool(chance.Intn(2) == 0)
	case reflect.Int32, reflect.Int64:
		target.SetInt(int64(chance.Intn(3)))
	}
	if target != v {
		v.Set(target.Addr())
	}
}

func isScalar(kind reflect.Kind) bool {
	return kind == reflect.String || kind == reflect.Bool || kind == reflect.Int32 || kind == reflect.Int64
}

func propertiesOf(t reflect.Type) map[string]spec.Schema {
	if model, ok := reflect.Zero(t).Interface().(named); ok {
		return schemas[model.OpenAPIModelName()].Properties
	}
	return nil
}

// Compares an object with itself before its defaults were set.
func learn(before, after reflect.Value) {
	switch after.Kind() {
	case reflect.Pointer:
		if !before.IsNil() {
			learn(before.Elem(), after.Elem())
		}
	case reflect.Slice:
		for i := range before.Len() {
			learn(before.Index(i), after.Index(i))
		}
	case reflect.Struct:
		if len(propertiesOf(after.Type())) > 0 {
			learnFields(before, after, reflect.Zero(after.Type()).Interface().(named).OpenAPIModelName())
		}
	}
}

func learnFields(before, after reflect.Value, owner string) {
	for i := range after.NumField() {
		f := after.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		kind := f.Type.Kind()
		if kind == reflect.Pointer {
			kind = f.Type.Elem().Kind()
		}
		if name != "" && isScalar(kind) && before.Field(i).IsZero() {
			note(owner+"."+name, after.Field(i))
		} else if f.IsExported() && f.Anonymous {
			// The fields of an embedded struct are those of its owner.
			learnFields(before.Field(i), after.Field(i), owner)
		} else if f.IsExported() {
			learn(before.Field(i), after.Field(i))
		}
	}
}

func note(field string, value reflect.Value) {
	text := ""
	if !value.IsZero() {
		json, _ := json.Marshal(value.Interface())
		text = string(json)
	}
	if known, ok := defaults[field]; ok && known != text {
		text = ""
	}
	defaults[field] = text
}

func learnDefaults(t reflect.Type) {
	// Defaults may depend on values that no client could send.
	defer func() { _ = recover() }()
	object := reflect.New(t)
	draw(object.Elem(), 0)
	before := object.Interface().(runtime.Object).DeepCopyObject()
	legacyscheme.Scheme.Default(object.Interface().(runtime.Object))
	learn(reflect.ValueOf(before).Elem(), object.Elem())
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

// The published types in the order of their kinds: Go's maps have none, and what is drawn must not depend on chance.
func knownTypes() []reflect.Type {
	byKind := map[string]reflect.Type{}
	for gvk, t := range legacyscheme.Scheme.AllKnownTypes() {
		if gvk.Version != runtime.APIVersionInternal {
			byKind[gvk.GroupVersion().String()+"/"+gvk.Kind] = t
		}
	}
	types := []reflect.Type{}
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		types = append(types, byKind[kind])
		noteEnd(kind, reflect.New(byKind[kind]).Interface())
	}
	return types
}

type lifetime struct {
	Deprecated  string `json:"deprecated"`
	Removed     string `json:"removed"`
	Replacement string `json:"replacement"`
}

// The releases in which kinds are deprecated and removed, by version and kind.
var lifetimes = map[string]lifetime{}

func noteEnd(kind string, object any) {
	life := lifetime{}
	if ends, ok := object.(interface{ APILifecycleDeprecated() (int, int) }); ok {
		life.Deprecated = release(ends.APILifecycleDeprecated())
	}
	if ends, ok := object.(interface{ APILifecycleRemoved() (int, int) }); ok {
		life.Removed = release(ends.APILifecycleRemoved())
	}
	if ends, ok := object.(interface {
		APILifecycleReplacement() schema.GroupVersionKind
	}); ok {
		gvk := ends.APILifecycleReplacement()
		life.Replacement = gvk.GroupVersion().String() + "/" + gvk.Kind
	}
	if life.Deprecated != "" {
		lifetimes[kind] = life
	}
}

func release(major, minor int) string {
	return fmt.Sprintf("%d.%d", major, minor)
}

func main() {
	ref := func(name string) spec.Ref { return spec.MustCreateRef("#/" + name) }
	for name, definition := range openapi.GetOpenAPIDefinitions(ref) {
		schemas[name] = definition.Schema
	}
	known := knownTypes()
	for _, t := range known {
		declare(t)
	}
	declare(reflect.TypeFor[extensions.CustomResourceDefinitionList]())
	declare(reflect.TypeFor[aggregator.APIServiceList]())
	declare(reflect.TypeFor[metav1.APIGroupList]())
	declare(reflect.TypeFor[metav1.APIVersions]())
	declare(reflect.TypeFor[metav1.APIResourceList]())
	for _, t := range known {
		_, isObject := reflect.New(t).Interface().(metav1.Object)
		for range 300 {
			if isObject {
				learnDefaults(t)
			}
		}
	}
	internalversion.AddHandlers(tables{})
	gates := map[string]gate{}
	for name, g := range utilfeature.DefaultMutableFeatureGate.(featuregate.MutableVersionedFeatureGate).GetAll() {
		gates[string(name)] = gate{string(g.PreRelease), g.Default, g.LockToDefault}
	}
	err := json.NewEncoder(os.Stdout).Encode(map[string]any{
		"schemas": schemas, "structs": structs, "columns": columns, "gates": gates, "defaults": defaults, "lifetimes": lifetimes,
	})
	if err != nil {
		panic(err)
	}
}
