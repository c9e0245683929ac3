import { invalid } from "@tsbuilder/apimachinery/errors";
import { checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import type { BuiltInKind } from "../built-in-kind.ts";
import { text } from "../cells.ts";
import { namespaceController } from "./namespace-controller.ts";
import { forbidden } from "../../contract/status-error.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import type { Strategy } from "../../registry/resource.ts";
import { labelName } from "../../registry/validate-metadata.ts";
import { resetStatusAlone } from "../../registry/default-strategy.ts";
import { fillIn } from "../fill-in.ts";
import { type Problems, refused } from "../checks/problems.ts";

const nameLabel = "kubernetes.io/metadata.name";

const permanent = new Set(["default", "kube-system", "kube-public"]);

/**
 * Namespaces are kept by `spec.finalizers`: deletion sets the phase Terminating, and they are removed once
 * the namespace controller has emptied and finalized them.
 */
const namespaceStrategy: Partial<Strategy> = {
  validateName: labelName,
  prepareForCreate(object) {
    const finalizers = finalizersOf(object);
    const kept = finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes"];
    object["spec"] = { finalizers: kept };
    object["status"] = { phase: "Active" };
  },
  default(object) {
    labelWithName(object);
    fillIn(object["status"], () => ({ phase: "Active" }));
  },
  prepareForUpdate(object, old, { subresource }) {
    if (subresource === "") object["spec"] = old["spec"];
  },
  validate: (object) => finalizersOf(object).flatMap((name) => [...finalizer("spec.finalizers", name)]),
  validateUpdate: (object, _old, { subresource }) => [...changeProblems(object, subresource)],
  resetFields(object, old, subresource) {
    if (subresource === "finalize") {
      const spec = object["spec"];
      Object.assign(object, { ...old, metadata: { ...old!.metadata }, spec });
      return;
    }
    resetStatusAlone(object, old, subresource);
  },
  isHeld: (object) => finalizersOf(object).length > 0,
  markDeleted: (object) => ({
    ...object,
    status: { ...(object["status"] as object | undefined), phase: "Terminating" },
  }),
  beforeDelete(object) {
    const { name } = object.metadata;
    if (permanent.has(name!)) {
      throw forbidden(
        { group: "", plural: "namespaces", kind: "Namespace" },
        name!,
        "this namespace may not be deleted",
      );
    }
  },
};

function labelWithName({ metadata }: ApiObject): void {
  if (metadata.name) metadata.labels = { ...metadata.labels, [nameLabel]: metadata.name };
}

function finalizersOf({ spec }: ApiObject): string[] {
  return (spec as { finalizers?: string[] } | undefined)?.finalizers ?? [];
}

function* changeProblems(object: ApiObject, subresource: string): Problems {
  if (subresource === "status") return yield* phaseProblems(object);
  for (const [index, name] of finalizersOf(object).entries()) {
    yield* finalizer(subresource === "finalize" ? `spec.finalizers[${index}]` : "spec.finalizers", name);
  }
}

/** The names that a finalizer without a domain may have. */
const standard = new Set(["foregroundDeletion", "kubernetes", "orphan"]);

function* finalizer(field: string, name: string): Problems {
  yield* refused(field, name, checkQualifiedName(name));
  if (name.includes("/") || standard.has(name)) return;
  yield invalid(field, name, "name is neither a standard finalizer name nor is it fully qualified");
}

function* phaseProblems(object: ApiObject): Problems {
  const { phase = "" } = (object["status"] ?? {}) as { phase?: string };
  const isDeleted = object.metadata.deletionTimestamp !== undefined;
  const [only, not] = isDeleted ? ["Terminating", " not"] : ["Active", ""];
  if (phase === only) return;
  yield invalid("status.Phase", phase, `may only be '${only}' if \`deletionTimestamp\` is${not} empty`);
}

export const namespace: BuiltInKind<"namespace"> = {
  resource: "namespaces",
  metadataChecks: { update: ["new", "update"] },
  strategy: { ...namespaceStrategy, statusWritesMetadata: true },
  cells: { Status: text("status.phase") },
  emptyObject: { spec: {}, status: {} },
  controllers: { namespace: namespaceController },
};
