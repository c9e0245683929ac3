import { parseAllDocuments } from "yaml";
import { renderTemplate } from "./render-template.ts";
import type { Stage } from "./stage.ts";

/** Parses a file of Stages. Unsupported content is rejected here, not when an object matches. */
export function parseStages(text: string): Stage[] {
  return parseAllDocuments(text)
    .map((document) => {
      const [error] = document.errors;
      if (error) throw new TypeError(`a Stage file must be YAML: ${error.message}`);
      return document.toJS() as unknown;
    })
    .filter((value) => value !== null)
    .map(checkStage);
}

function checkStage(value: unknown): Stage {
  const stage = value as Partial<Stage>;
  const name = stage.metadata?.name ?? "without a name";
  if (stage.kind !== "Stage" || stage.apiVersion !== "kwok.x-k8s.io/v1alpha1") {
    throw new TypeError(`expected a kwok.x-k8s.io/v1alpha1 Stage, got ${stage.apiVersion} ${stage.kind}`);
  }
  if (!stage.spec?.resourceRef?.kind || !stage.spec.next) {
    throw new TypeError(`the Stage ${name} needs spec.resourceRef.kind and spec.next`);
  }
  // In KWOK such a stage matches nothing; an empty selector matches everything.
  if (!stage.spec.selector)
    throw new TypeError(`the Stage ${name} needs spec.selector: {} matches all objects`);
  if ("weightFrom" in stage.spec) {
    throw new TypeError(`the Stage ${name} has spec.weightFrom: only spec.weight is supported`);
  }
  if ("patches" in stage.spec.next) {
    throw new TypeError(`the Stage ${name} has spec.next.patches: only statusTemplate is supported`);
  }
  const template = stage.spec.next.statusTemplate;
  if (template !== undefined) renderTemplate(template, {}, "1970-01-01T00:00:00Z");
  return stage as Stage;
}
