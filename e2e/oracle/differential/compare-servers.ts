import { isDeepStrictEqual } from "node:util";
import type { MaskedAnswer } from "../conformance/mask-answer.ts";
import { runStory, type Server } from "../conformance/run-story.ts";
import type { Step, Story } from "../conformance/story.ts";
import { runReady } from "./run-ready.ts";
import { alike } from "./answers-in-protobuf.ts";
import { withoutChance } from "./without-chance.ts";

/** Two servers that are to answer alike. */
export interface Servers {
  readonly real: Server;
  readonly embedded: Server;
}

/** A request that the two servers answered differently. */
export interface Difference {
  readonly story: Story;
  /** Where in the story the request is. */
  readonly index: number;
  readonly step: Step;
  readonly real: MaskedAnswer;
  readonly embedded: MaskedAnswer;
}

/** The counts of a comparison: all answers, and those of requests that the real server accepts. */
export interface Compared {
  readonly answers: number;
  readonly accepted: number;
  /** The first one only: what follows depends on it. */
  readonly difference?: Difference;
}

/** Runs a story on both servers, each in a namespace of this id, but only if both accept its CRDs. */
export async function compareStory(servers: Servers, story: Story, id: string): Promise<Compared> {
  const { crds = [] } = story;
  if (crds.length === 0) return compareSteps(servers, story, id);
  const created = await compareSteps(servers, { name: story.name, steps: crds.map(dryRun) }, id);
  if (created.difference || created.accepted < crds.length) return created;
  const { answers, accepted, ...rest } = await compareSteps(servers, story, `${id}-crd`);
  return { answers: created.answers + answers, accepted: created.accepted + accepted, ...rest };
}

function dryRun(crd: object): Step {
  return {
    method: "POST",
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All",
    body: { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", ...crd },
  };
}

async function compareSteps({ real, embedded }: Servers, story: Story, id: string): Promise<Compared> {
  const [expected, actual] = await Promise.all([runReady(real, story, id), runStory(embedded, story, id)]);
  if (!expected) return { answers: 0, accepted: 0 };
  let accepted = 0;
  for (const [index, step] of story.steps.entries()) {
    const compared = compareAnswers({ story, index, step }, expected[index]!, actual[index]!);
    accepted += compared.accepted;
    if (compared.difference) return { answers: index + 1, accepted, difference: compared.difference };
  }
  return { answers: story.steps.length, accepted };
}

/** Compares the answers to one request, without what depends on chance. */
export function compareAnswers(
  asked: Pick<Difference, "story" | "index" | "step">,
  expected: MaskedAnswer,
  actual: MaskedAnswer,
): Compared {
  const [real, embedded] = alike(expected, actual).map(withoutChance) as [MaskedAnswer, MaskedAnswer];
  const accepted = real.code < 300 ? 1 : 0;
  if (isDeepStrictEqual(real, embedded)) return { answers: 1, accepted };
  return { answers: 1, accepted, difference: { ...asked, real, embedded } };
}
