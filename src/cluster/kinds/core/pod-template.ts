import { isEqual } from "@tsbuilder/apimachinery/json";
import type { ApiObject } from "../../contract/api-object.ts";
import type { Strategy } from "../../registry/resource.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { formatSelector, readField } from "../cells.ts";
import { containersAt, templateWarnings } from "../apps/workload.ts";
import { defaultTemplate } from "./pod-spec/defaults.ts";
import { type PodTemplateSpec, template } from "./pod-spec/types.ts";
import { validateTemplate } from "./pod-spec/validate.ts";

interface SentPodTemplate extends ApiObject {
  template?: PodTemplateSpec;
}

const podTemplateStrategy: Partial<Strategy> = {
  default: (object) => void (object["template"] = defaultTemplate((object as SentPodTemplate).template)),
  specChanged: (object, old) => !isEqual(object["template"], old["template"]),
  validate: (object) => [...validateTemplate((object as SentPodTemplate).template, "template")],
  validateUpdate: (object) => [...validateTemplate((object as SentPodTemplate).template, "template")],
  warnings: (object, old) => templateWarnings(object, old, "template"),
};

export const podTemplate: BuiltInKind = {
  resource: "podtemplates",
  strategy: { ...podTemplateStrategy, returnsDeleted: true },
  cells: {
    ...containersAt("template.spec"),
    "Pod Labels": (object) =>
      formatSelector({ matchLabels: readField(object, "template.metadata.labels") ?? {} }),
  },
  podTemplate: "template",
  emptyObject: { template },
};
