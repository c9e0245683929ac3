import { checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import type { ApiObject } from "../contract/api-object.ts";

const standard = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

/** Warnings about new finalizers without a domain: custom resources accept them, most built-in kinds do not. */
export function* warnOfFinalizers({ metadata }: ApiObject, old: ApiObject | undefined): Generator<string> {
  const before = new Set(old?.metadata.finalizers);
  const added = new Set((metadata.finalizers ?? []).filter((finalizer) => !before.has(finalizer)));
  for (const finalizer of [...added].toSorted()) {
    const subject = `metadata.finalizers: ${JSON.stringify(finalizer)}`;
    for (const detail of checkQualifiedName(finalizer)) yield `${subject}: ${detail}`;
    if (finalizer.includes("/") || standard.has(finalizer)) continue;
    const wanted = finalizer.includes(".") ? "name including a path (/)" : "name";
    yield `${subject}: prefer a domain-qualified finalizer ${wanted} to avoid accidental conflicts with other finalizer writers`;
  }
}
