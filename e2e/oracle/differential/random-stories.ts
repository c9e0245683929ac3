import type { Kubeconfig } from "../../../src/cluster/auth/credentials.ts";
import type { Story } from "../conformance/story.ts";
import { customKind } from "./most-used-kinds.ts";
import { readKinds } from "./read-kinds.ts";
import { readSamples } from "./samples.ts";
import { storiesOfBuiltInKinds, storiesOfCustomKinds, type Wanted } from "./stories.ts";

/** One request in three is about custom objects, unless one kind is chosen. */
export async function randomStories(
  kubeconfig: Kubeconfig,
  { kind, seed, requests }: Wanted & { readonly kind?: string },
): Promise<readonly Story[]> {
  const kinds = (await readKinds(kubeconfig)).filter((each) => kind === undefined || each.kind === kind);
  const ofCustomKinds = kind === undefined ? Math.floor(requests / 3) : kind === customKind ? requests : 0;
  return [
    ...storiesOfBuiltInKinds(kinds, await readSamples(), { seed, requests: requests - ofCustomKinds }),
    ...storiesOfCustomKinds({ seed, requests: ofCustomKinds }),
  ];
}
