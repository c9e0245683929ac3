import * as fc from "fast-check";
import { mutated } from "./mutate.ts";
import { collectionPath, type Kind } from "./read-kinds.ts";
import type { Sample } from "./samples.ts";

/** The target of a story's requests: a kind, and valid objects of it. */
export interface Target {
  readonly kind: Kind;
  readonly samples: readonly Sample[];
}

export function valid({ kind, samples }: Target): fc.Arbitrary<Sample> {
  return fc.tuple(fc.constantFrom(...samples), fc.constantFrom("a", "a", "a", "b")).map(([sample, name]) => {
    if (sample.metadata?.name === undefined || keepsItsName(kind)) return sample;
    return { ...sample, metadata: { ...sample.metadata, name: nameIn(kind, name) } };
  });
}

export function changed(target: Target): fc.Arbitrary<Sample> {
  const { schema, schemas } = target.kind;
  return valid(target).chain((object) => mutated(object, schema, schemas) as fc.Arbitrary<Sample>);
}

/** The namespace of a story is its own, so are the names of what lies in no namespace. */
function nameIn({ isNamespaced }: Kind, name: string): string {
  return isNamespaced ? name : `{ns}-${name}`;
}

/** Kinds whose names follow from what they hold. */
function keepsItsName({ kind }: Kind): boolean {
  return ["APIService", "CustomResourceDefinition", "IPAddress", "CSINode"].includes(kind);
}

/** The object that most of the requests are about. */
export function nameOfObject({ kind, samples }: Target): string {
  return keepsItsName(kind) ? (samples[0]!.metadata?.name ?? "a") : nameIn(kind, "a");
}

export function pathOfObject(target: Target): string {
  return `${collectionPath(target.kind)}/${nameOfObject(target)}`;
}
