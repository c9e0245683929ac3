// Writes down what Kubernetes' tests pass to the functions that validate, and what these return: an object a line, in the
// version that clients use. What a function gets may be a part of an object: then it is put into an object of the kind
// that has such a part.
package recorder

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"sort"
	"strings"
	"sync"

	kube "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	extensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/core"
)

type cause struct {
	Type  string `json:"type"`
	Field string `json:"field"`
}

type line struct {
	Function string  `json:"function"`
	Test     string  `json:"test"`
	At       string  `json:"at"`
	Part     string  `json:"part,omitempty"`
	Problem  string  `json:"problem,omitempty"`
	Object   any     `json:"object,omitempty"`
	Old      any     `json:"old,omitempty"`
	// A value of a custom resource, and the value that it replaces.
	Schema   any `json:"schema,omitempty"`
	Value    any `json:"value,omitempty"`
	OldValue any `json:"oldValue,omitempty"`
	Judged   bool    `json:"judged"`
	Errors   []cause `json:"errors,omitempty"`
}

var mutex sync.Mutex
var output *os.File
var seen = map[uint64]bool{}

func init() {
	extensions.Install(legacyscheme.Scheme)
	if path := os.Getenv("CASES"); path != "" {
		var err error
		if output, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666); err != nil {
			panic(err)
		}
	}
}

// Recording returns a function that does the same and records it.
func Recording[F any](name string, function F) F {
	value := reflect.ValueOf(function)
	recording := func(arguments []reflect.Value) []reflect.Value {
		record := begin(name, arguments)
		call := value.Call
		if value.Type().IsVariadic() {
			call = value.CallSlice
		}
		results := call(arguments)
		record.end(results)
		return results
	}
	return reflect.MakeFunc(value.Type(), recording).Interface().(F)
}

var updates = regexp.MustCompile(`Update|Resize|EphemeralContainers`)

func begin(name string, arguments []reflect.Value) (record *line) {
	record = &line{Function: name}
	record.Test, record.At = caller()
	defer func() {
		if problem := recover(); problem != nil {
			record.Problem = fmt.Sprint(problem)
		}
	}()
	if record.ofSchema(arguments) {
		return record
	}
	objects := []reflect.Value{}
	for _, argument := range arguments {
		for argument.Kind() == reflect.Interface && !argument.IsNil() {
			argument = argument.Elem()
		}
		if isOurs(argument.Type()) && !isNil(argument) && (len(objects) == 0 || objects[0].Type() == argument.Type()) {
			objects = append(objects, argument)
		}
	}
	if len(objects) == 0 {
		record.Problem = "no object"
		return record
	}
	if updates.MatchString(name) && len(objects) > 1 {
		record.Old, _ = record.versioned(objects[1])
	}
	record.Object, record.Part = record.versioned(objects[0])
	return record
}

// Records a value that follows its schema.
func (record *line) ofSchema(arguments []reflect.Value) bool {
	for at, argument := range arguments {
		schema, ok := argument.Interface().(*structural.Structural)
		if !ok || schema == nil || at+1 == len(arguments) {
			continue
		}
		record.Schema = schema.ToKubeOpenAPI()
		record.Value = arguments[at+1].Interface()
		if rest := arguments[at+2:]; len(rest) > 0 && rest[0].Kind() == reflect.Interface {
			record.OldValue = rest[0].Interface()
		}
		return true
	}
	return false
}

func (record *line) end(results []reflect.Value) {
	for _, result := range results {
		if list, ok := result.Interface().(field.ErrorList); ok {
			record.Judged = true
			for _, each := range list {
				record.Errors = append(record.Errors, cause{string(each.Type), each.Field})
			}
		}
	}
	text, err := json.Marshal(record)
	if err != nil {
		text, _ = json.Marshal(line{Function: record.Function, Test: record.Test, At: record.At, Problem: err.Error()})
	}
	hash := fnv.New64a()
	hash.Write(text)
	mutex.Lock()
	defer mutex.Unlock()
	if output == nil || seen[hash.Sum64()] {
		return
	}
	seen[hash.Sum64()] = true
	output.Write(append(text, '\n'))
}

// The test's name, and where it calls.
func caller() (test, at string) {
	counters := make([]uintptr, 64)
	frames := runtime.CallersFrames(counters[:runtime.Callers(3, counters)])
	for {
		frame, more := frames.Next()
		if strings.HasSuffix(frame.File, "_test.go") {
			if at == "" {
				_, path, _ := strings.Cut(frame.File, "pkg/")
				at = fmt.Sprintf("%s:%d", path, frame.Line)
			}
			function := frame.Function[strings.LastIndex(frame.Function, "/")+1:]
			if _, name, ok := strings.Cut(function, ".Test"); ok {
				test, _, _ = strings.Cut("Test"+name, ".")
			}
		}
		if !more {
			return test, at
		}
	}
}

// True for types of Kubernetes' APIs, of what they consist of, and lists of these.
func isOurs(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	path := t.PkgPath()
	return !strings.HasSuffix(path, "/validation") && t.Kind() != reflect.Func &&
		(strings.HasPrefix(path, "k8s.io/kubernetes/pkg/apis/") || strings.HasPrefix(path, "k8s.io/api/") ||
			strings.HasPrefix(path, "k8s.io/apiextensions-apiserver/pkg/apis/"))
}

func isNil(value reflect.Value) bool {
	kind := value.Kind()
	return (kind == reflect.Pointer || kind == reflect.Slice || kind == reflect.Map) && value.IsNil()
}

// The object in the version that the group prefers, and which part of it was passed.
func (record *line) versioned(value reflect.Value) (any, string) {
	object, isObject := value.Interface().(kube.Object)
	if value.Kind() == reflect.Struct {
		pointer := reflect.New(value.Type())
		pointer.Elem().Set(value)
		if object, isObject = pointer.Interface().(kube.Object); !isObject {
			value = pointer
		}
	}
	part := ""
	if isObject {
		object = object.DeepCopyObject()
	} else {
		object, part = whole(value, record.Function)
	}
	return record.convert(object), part
}

func (record *line) convert(object kube.Object) any {
	kinds, _, err := legacyscheme.Scheme.ObjectKinds(object)
	if err != nil {
		panic(err)
	}
	kind := kinds[0]
	if kind.Version != kube.APIVersionInternal {
		object.GetObjectKind().SetGroupVersionKind(kind)
		return object
	}
	problem := "no version"
	for _, version := range legacyscheme.Scheme.PrioritizedVersionsForGroup(kind.Group) {
		if !legacyscheme.Scheme.Recognizes(version.WithKind(kind.Kind)) {
			continue
		}
		converted, err := legacyscheme.Scheme.ConvertToVersion(object.DeepCopyObject(), version)
		if err != nil {
			problem = err.Error()
			continue
		}
		converted.GetObjectKind().SetGroupVersionKind(version.WithKind(kind.Kind))
		return converted
	}
	panic("can't be converted: " + problem)
}

// Objects into which parts are put; of other kinds, an object without values.
func bases() []kube.Object {
	container := core.Container{Name: "c", Image: "i", ImagePullPolicy: "Always", TerminationMessagePolicy: "File"}
	pod := core.PodSpec{Containers: []core.Container{container}, RestartPolicy: "Always", DNSPolicy: "ClusterFirst"}
	volume := core.PersistentVolumeSpec{AccessModes: []core.PersistentVolumeAccessMode{"ReadWriteOnce"}}
	return []kube.Object{&core.Pod{Spec: pod}, &core.PersistentVolumeClaim{}, &core.PersistentVolume{Spec: volume}, &core.Service{}, &core.Node{}}
}

type place struct {
	object kube.Object
	path   []int // Fields; each pointer and list on the way is entered.
	names  []string
}

var places = map[string]*place{}

func whole(value reflect.Value, function string) (kube.Object, string) {
	wanted := value.Type()
	key := wanted.String() + function
	mutex.Lock()
	found, known := places[key]
	mutex.Unlock()
	if !known {
		found = find(wanted, function)
		mutex.Lock()
		places[key] = found
		mutex.Unlock()
	}
	if found == nil {
		panic("no kind has such a part: " + wanted.String())
	}
	object := found.object.DeepCopyObject()
	setName(object)
	at := reflect.ValueOf(object).Elem()
	for _, index := range found.path {
		at = enter(at).Field(index)
	}
	put(at, value)
	return object, strings.Join(found.names, ".")
}

func setName(object kube.Object) {
	reflect.ValueOf(object).Elem().FieldByName("ObjectMeta").FieldByName("Name").SetString("a")
}

func enter(value reflect.Value) reflect.Value {
	switch value.Kind() {
	case reflect.Pointer:
		if value.IsNil() {
			value.Set(reflect.New(value.Type().Elem()))
		}
		return enter(value.Elem())
	case reflect.Slice:
		if value.Len() == 0 {
			value.Set(reflect.MakeSlice(value.Type(), 1, 1))
		}
		return enter(value.Index(0))
	}
	return value
}

func put(at, value reflect.Value) {
	switch {
	case value.Type().AssignableTo(at.Type()):
		at.Set(value)
	case value.Kind() == reflect.Pointer:
		put(at, value.Elem())
	case at.Kind() == reflect.Pointer:
		pointer := reflect.New(at.Type().Elem())
		put(pointer.Elem(), value)
		at.Set(pointer)
	case at.Kind() == reflect.Slice:
		list := reflect.MakeSlice(at.Type(), 1, 1)
		put(list.Index(0), value)
		at.Set(list)
	default:
		panic("can't be put")
	}
}

func bare(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || (t.Kind() == reflect.Slice && t.Name() == "") {
		t = t.Elem()
	}
	return t
}

// The nearest part of that type; of those as near, the one whose name the function's has.
func find(wanted reflect.Type, function string) *place {
	wantsList := wanted.Kind() == reflect.Slice
	wanted = bare(wanted)
	if wanted.Kind() == reflect.String || wanted.Kind() == reflect.Map {
		wantsList = false
	}
	var best *place
	bestScore := 0
	consider := func(candidate *place, isList bool, first int) {
		name := strings.ToLower(candidate.names[len(candidate.names)-1])
		score := 1000 - 20*len(candidate.path) - first
		if strings.Contains(strings.ToLower(function), name) {
			score += len(name)
		}
		if isList != wantsList {
			score -= 10
		}
		if best == nil || score > bestScore {
			best, bestScore = candidate, score
		}
	}
	for first, object := range candidates() {
		var walk func(t reflect.Type, path []int, names []string)
		walk = func(t reflect.Type, path []int, names []string) {
			if t.Kind() != reflect.Struct || len(path) > 6 {
				return
			}
			for i := range t.NumField() {
				f := t.Field(i)
				if !f.IsExported() {
					continue
				}
				inner := bare(f.Type)
				next := append(append([]int{}, path...), i)
				named := append(append([]string{}, names...), f.Name)
				if inner == wanted {
					rank := min(first, 10)
					consider(&place{object, next, named}, f.Type.Kind() == reflect.Slice, rank)
				} else if isOurs(inner) {
					walk(inner, next, named)
				}
			}
		}
		walk(reflect.TypeOf(object).Elem(), nil, nil)
	}
	return best
}

var candidates = sync.OnceValue(func() []kube.Object {
	objects := bases()
	kinds := []schema.GroupVersionKind{}
	for kind := range legacyscheme.Scheme.AllKnownTypes() {
		if kind.Version == kube.APIVersionInternal {
			kinds = append(kinds, kind)
		}
	}
	sort.Slice(kinds, func(i, j int) bool { return kinds[i].String() < kinds[j].String() })
	for _, kind := range kinds {
		t := legacyscheme.Scheme.AllKnownTypes()[kind]
		if meta, ok := t.FieldByName("ObjectMeta"); ok && meta.Type.Kind() == reflect.Struct {
			objects = append(objects, reflect.New(t).Interface().(kube.Object))
		}
	}
	return objects
})
