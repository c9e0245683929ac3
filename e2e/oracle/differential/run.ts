import type { Story } from "../conformance/story.ts";
import { classify, kindOf } from "./classify.ts";
import { runStory } from "../conformance/run-story.ts";
import {
  compareAnswers,
  compareStory,
  type Compared,
  type Difference,
  type Servers,
} from "./compare-servers.ts";
import { customKind, mostUsedKinds } from "./most-used-kinds.ts";

/** Differences that have one reason, with the shortest story that shows it. */
export interface DifferenceClass {
  readonly name: string;
  readonly count: number;
  readonly example: Difference;
}

export interface Report {
  readonly answers: number;
  readonly accepted: number;
  readonly different: number;
  /** Requests that the real server accepts. */
  readonly differentAccepted: number;
  /** Requests that the real server refuses, and the embedded one does not. */
  readonly wronglyAccepted: readonly Difference[];
  /** Accepted requests about the forty most used kinds, or about custom objects. */
  readonly wronglyAcceptedOften: readonly Difference[];
  readonly classes: readonly DifferenceClass[];
}

const atOnce = 8;

/** Runs all stories on both servers. */
export async function runStories(servers: Servers, stories: readonly Story[]): Promise<Report> {
  const results: Compared[] = [];
  const queue = [...stories.entries()];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [index, story] = next;
      results[index] = await compareStory(servers, story, `random-${index}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return report(results);
}

/** Compares every answer of stories whose requests don't depend on each other. */
export async function runTables({ real, embedded }: Servers, stories: readonly Story[]): Promise<Report> {
  const results: Compared[] = [];
  for (const [index, story] of stories.entries()) {
    const id = `table-${index}`;
    const [expected, actual] = await Promise.all([runStory(real, story, id), runStory(embedded, story, id)]);
    for (const [at, step] of story.steps.entries())
      results.push(compareAnswers({ story, index: at, step }, expected[at]!, actual[at]!));
  }
  return report(results);
}

function report(results: readonly Compared[]): Report {
  const differences = results.flatMap(({ difference }) => difference ?? []);
  const wronglyAccepted = differences.filter(({ real, embedded }) => real.code >= 400 && embedded.code < 300);
  const byName = new Map<string, Difference[]>();
  for (const difference of differences) {
    const name = classify(difference);
    byName.set(name, [...(byName.get(name) ?? []), difference]);
  }
  const classes = [...byName].map(([name, all]) => {
    const [example] = all.toSorted((a, b) => a.index - b.index);
    return { name, count: all.length, example: example! };
  });
  const sum = (of: (each: Compared) => number): number =>
    results.reduce((total, each) => total + of(each), 0);
  return {
    answers: sum(({ answers }) => answers),
    accepted: sum(({ accepted }) => accepted),
    different: differences.length,
    differentAccepted: differences.filter(({ real }) => real.code < 300).length,
    wronglyAccepted,
    wronglyAcceptedOften: wronglyAccepted.filter(({ story }) => isUsedOften(kindOf(story))),
    classes: classes.toSorted((a, b) => b.count - a.count),
  };
}

function isUsedOften(kind: string): boolean {
  return kind === customKind || mostUsedKinds.includes(kind);
}
