import { isEqual } from "@tsbuilder/apimachinery/json";
import type { ApiObject } from "../../contract/api-object.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { formatSelector, readField } from "../cells.ts";
import { containerCells, templateWarnings } from "../apps/workload.ts";
import { defaultTemplate } from "./pod-spec/defaults.ts";
import type { PodTemplateSpec } from "./pod-spec/types.ts";
import { podTemplateProblems } from "./pod-spec/validate.ts";

interface SentPodTemplate extends ApiObject {
  template?: PodTemplateSpec;
}

export const podTemplate: BuiltInKind = {
  resource: "podtemplates",
  strategy: {
    returnsDeleted: true,
    default: (object) => defaultTemplate((object as SentPodTemplate).template),
    specChanged: (object, old) => !isEqual(object["template"], old["template"]),
    validate: (object) => [...podTemplateProblems((object as SentPodTemplate).template, "template")],
    validateUpdate: (object) => [...podTemplateProblems((object as SentPodTemplate).template, "template")],
    warnings: (object, old) => templateWarnings(object, old, "template"),
  },
  cells: {
    ...containerCells("template.spec"),
    "Pod Labels": (object) =>
      formatSelector({ matchLabels: readField(object, "template.metadata.labels") ?? {} }),
  },
  podTemplate: "template",
};
