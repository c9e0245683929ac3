package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/operator-framework/api/pkg/manifests"
	"github.com/operator-framework/api/pkg/validation"
	validationerrors "github.com/operator-framework/api/pkg/validation/errors"
	interfaces "github.com/operator-framework/api/pkg/validation/interfaces"
	"github.com/operator-framework/operator-registry/pkg/lib/bundle"
	"github.com/sirupsen/logrus"
)

type finding struct {
	// The set that a user asks for; without a name, every bundle is judged by it.
	Set    string `json:"set"`
	Level  string `json:"level"`
	Type   string `json:"type"`
	Field  string `json:"field"`
	Detail string `json:"detail"`
}

type verdict struct {
	// Why the bundle could not be read; then no validator of the API saw it.
	Unreadable string    `json:"unreadable"`
	Findings   []finding `json:"findings"`
	// What opm refuses a bundle for before it makes an image of it.
	Format []string `json:"format"`
}

// Without that for several architectures, which asks registries for images.
var sets = []struct {
	name       string
	validators interfaces.Validators
}{
	{"", validation.DefaultBundleValidators},
	{"", interfaces.Validators{validation.ObjectValidator, validation.AlphaDeprecatedAPIsValidator}},
	{"operatorhub", interfaces.Validators{validation.OperatorHubV2Validator}},
	{"capabilities", interfaces.Validators{validation.StandardCapabilitiesValidator}},
	{"categories", interfaces.Validators{validation.StandardCategoriesValidator}},
	{"good-practices", interfaces.Validators{validation.GoodPracticesValidator}},
	{"community", interfaces.Validators{validation.CommunityOperatorValidator}},
}

func judge(folder string) (found verdict) {
	found = verdict{Findings: []finding{}, Format: formatErrors(folder)}
	loaded, err := manifests.GetBundleFromDir(folder)
	if err != nil {
		found.Unreadable = err.Error()
		return found
	}
	for _, set := range sets {
		results, err := validate(set.validators, loaded)
		if err != nil {
			found.Findings = append(found.Findings, finding{Set: set.name, Level: "Panic", Detail: err.Error()})
		}
		for _, result := range results {
			for _, one := range append(append([]validationerrors.Error{}, result.Errors...), result.Warnings...) {
				found.Findings = append(found.Findings, finding{set.name, string(one.Level), string(one.Type), one.Field, one.Detail})
			}
		}
	}
	return found
}

// Some validators end in a panic on odd bundles.
func validate(validators interfaces.Validators, loaded *manifests.Bundle) (results []validationerrors.ManifestResult, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%v", reason)
		}
	}()
	return validators.Validate(loaded.ObjectsToValidate()...), nil
}

func formatErrors(folder string) (lines []string) {
	defer func() {
		if reason := recover(); reason != nil {
			lines = append(lines, fmt.Sprintf("panic: %v", reason))
		}
	}()
	silent := logrus.New()
	silent.SetOutput(io.Discard)
	validator := bundle.NewImageValidator(nil, logrus.NewEntry(silent))
	lines = []string{}
	for _, err := range []error{validator.ValidateBundleFormat(folder), validator.ValidateBundleContent(filepath.Join(folder, "manifests"))} {
		if err != nil {
			lines = append(lines, err.Error())
		}
	}
	return lines
}
