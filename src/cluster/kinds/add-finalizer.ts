import type { ApiObject } from "../contract/api-object.ts";

/** Adds a finalizer to an object that does not have it yet. */
export function addFinalizer({ metadata }: ApiObject, finalizer: string): void {
  const finalizers = metadata.finalizers ?? [];
  if (!finalizers.includes(finalizer)) metadata.finalizers = [...finalizers, finalizer];
}
