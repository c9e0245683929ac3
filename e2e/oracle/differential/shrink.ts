import type { Story } from "../conformance/story.ts";

/** Smaller stories than a failing one, the smallest first: fewer requests, then fewer members of bodies. */
export function* smaller({ steps, ...story }: Story): Generator<Story> {
  for (const index of steps.keys()) {
    if (index < steps.length - 1) yield { ...story, steps: steps.toSpliced(index, 1) };
  }
  for (const [index, step] of steps.entries()) {
    if (typeof step.body !== "object" || step.body === null) continue;
    for (const body of withoutOneMember(step.body))
      yield { ...story, steps: steps.with(index, { ...step, body }) };
  }
}

function* withoutOneMember(value: object): Generator<object> {
  for (const [name, child] of Object.entries(value)) {
    const copy = structuredClone(value) as Record<string, unknown>;
    if (Array.isArray(copy)) copy.splice(Number(name), 1);
    else delete copy[name];
    yield copy;
    if (typeof child !== "object" || child === null) continue;
    for (const less of withoutOneMember(child as object)) {
      const changed = structuredClone(value) as Record<string, unknown>;
      changed[name] = less;
      yield changed;
    }
  }
}

/** The smallest story found that still shows what a test looks for. */
export async function shrink(
  story: Story,
  stillShows: (smaller: Story) => Promise<boolean>,
  tries = 60,
): Promise<Story> {
  let best = story;
  let left = tries;
  for (let isSmaller = true; isSmaller && left > 0;) {
    isSmaller = false;
    for (const candidate of smaller(best)) {
      if (left-- <= 0) break;
      if (!(await stillShows(candidate))) continue;
      best = candidate;
      isSmaller = true;
      break;
    }
  }
  return best;
}
