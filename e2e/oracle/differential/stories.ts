import * as fc from "fast-check";
import type { Story } from "../conformance/story.ts";
import { type CustomKind, customKinds } from "./custom-kinds.ts";
import { customKind } from "./most-used-kinds.ts";
import type { Kind } from "./read-kinds.ts";
import { type Sample, samplesOf, type Samples } from "./samples.ts";
import { stepsOn } from "./steps.ts";
import { valueOf } from "./values.ts";

export interface Wanted {
  readonly seed: number;
  readonly requests: number;
}

/** Stories about built-in kinds, as many as it takes for a number of requests; the same ones for a seed. */
export function storiesOfBuiltInKinds(
  kinds: readonly Kind[],
  samples: Samples,
  wanted: Wanted,
): readonly Story[] {
  const known = kinds
    .map((kind) => ({ kind, own: samplesOf(kind, samples) }))
    .filter(({ own }) => own.length > 0);
  if (known.length === 0) return [];
  const stories = fc
    .constantFrom(...known)
    .chain(({ kind, own }) => stepsOn(kind, own).map((steps) => ({ name: kind.kind, steps })));
  return take(stories, wanted);
}

/** Stories about objects of random CRDs. */
export function storiesOfCustomKinds(wanted: Wanted): readonly Story[] {
  const stories = customKinds.chain((custom) =>
    fc.constantFrom(...custom.versions).chain((version) => {
      const kind = kindOf(custom, version);
      return objectsOf(kind).chain((own) =>
        stepsOn(kind, own).map((steps) => ({ name: customKind, crds: [custom.crd], steps })),
      );
    }),
  );
  return take(stories, wanted);
}

function take(stories: fc.Arbitrary<Story>, { seed, requests }: Wanted): readonly Story[] {
  const taken: Story[] = [];
  let left = requests;
  if (left === 0) return taken;
  for (const [index, story] of fc.sample(stories, { seed, numRuns: Math.ceil(requests / 2) }).entries()) {
    if (left <= 0) break;
    left -= story.steps.length;
    taken.push({ ...story, name: `${story.name} ${index}` });
  }
  return taken;
}

function kindOf({ schema, hasStatus, hasScale }: CustomKind, version: string): Kind {
  return {
    apiVersion: `{group}/${version}`,
    kind: customKind,
    plural: "foos",
    isNamespaced: true,
    verbs: ["create", "get"],
    subresources: [...(hasStatus ? ["status"] : []), ...(hasScale ? ["scale"] : [])],
    schema,
    schemas: {},
  };
}

function objectsOf({ apiVersion, kind, schema }: Kind): fc.Arbitrary<readonly Sample[]> {
  const spec = valueOf(schema.properties!["spec"]!, {});
  return fc
    .array(spec, { minLength: 2, maxLength: 3 })
    .map((all) => all.map((value) => ({ apiVersion, kind, metadata: { name: "a" }, spec: value })));
}
