import { forbidden } from "@tsbuilder/apimachinery/errors";
import type { ObjectMeta } from "@tsbuilder/apimachinery/meta";
import type { Sent } from "../../contract/sent.ts";
import { checkAnnotations } from "../../registry/validate-metadata.ts";
import { labelProblems } from "./names.ts";
import type { Problems } from "./problems.ts";

/** All else that metadata has, by the names of Go's fields. */
const refused: Readonly<Record<string, keyof ObjectMeta | "selfLink">> = {
  name: "name",
  generateName: "generateName",
  namespace: "namespace",
  selfLink: "selfLink",
  uID: "uid",
  resourceVersion: "resourceVersion",
  generation: "generation",
  creationTimestamp: "creationTimestamp",
  deletionTimestamp: "deletionTimestamp",
  deletionGracePeriodSeconds: "deletionGracePeriodSeconds",
  ownerReferences: "ownerReferences",
  finalizers: "finalizers",
  managedFields: "managedFields",
};

/** Validates the metadata of a template of claims: labels and annotations are all that it may have. */
export function* templateMetadata(field: string, metadata: Sent<ObjectMeta> = {}): Problems {
  yield* checkAnnotations(metadata.annotations, `${field}.annotations`);
  yield* labelProblems(`${field}.labels`, metadata.labels);
  for (const [shown, name] of Object.entries(refused)) {
    if (name in metadata) yield forbidden(`${field}.${shown}`, "cannot be set");
  }
}
