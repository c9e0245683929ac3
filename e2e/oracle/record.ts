import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { parse } from "yaml";
import type { Kubeconfig } from "../../src/cluster/auth/credentials.ts";
import { send } from "../../src/cluster/testing/send.ts";
import { chapters as requests } from "./conformance/chapters.ts";
import { runStory } from "./conformance/run-story.ts";
import { chapters as states } from "./controllers/chapters.ts";
import { recordStory } from "./controllers/record-story.ts";
import type { Outcome, Story } from "./controllers/story.ts";
import { writeRecorded } from "./recorded.ts";

/**
 * Records what the control plane of a kubeconfig does in stories: `record.ts KUBECONFIG conformance|controllers
 * [CHAPTER…]`. The chapter `scheduling` of the controllers needs a kube-scheduler.
 */
const [path, rig, ...wanted] = process.argv.slice(2);
if (path === undefined || (rig !== "conformance" && rig !== "controllers"))
  throw new Error("npm run lab -- record KUBECONFIG conformance|controllers [CHAPTER…]");
const kubeconfig = parse(await readFile(path, "utf8")) as Kubeconfig;
const isWanted = (chapter: string): boolean => wanted.length === 0 || wanted.includes(chapter);
for (const chapter of Object.keys(rig === "conformance" ? requests : states).filter(isWanted)) {
  const recorded = await (rig === "conformance" ? recordAnswers(chapter) : recordStates(chapter));
  await writeRecorded(rig, chapter, recorded);
  console.log(`${chapter}: ${Object.values(recorded).flat().length} recorded`);
}

async function recordAnswers(chapter: string): Promise<Record<string, unknown[]>> {
  const recorded: Record<string, unknown[]> = {};
  for (const [index, story] of requests[chapter]!.entries()) {
    const id = `${chapter.replace(/\W/g, "")}${index}-${Date.now().toString(36)}`;
    recorded[story.name] = await runStory({ kubeconfig }, story, id);
  }
  return recorded;
}

async function recordStates(chapter: string): Promise<Record<string, unknown[]>> {
  const stories = states[chapter]!;
  const outcomes: Outcome[][] = [];
  const record = async (story: Story, index: number): Promise<void> => {
    outcomes[index] = await recordStory(kubeconfig, story, `${chapter}-${index}`);
  };
  if (chapter !== "scheduling") await Promise.all(stories.map(record));
  else {
    // A scheduler sees the nodes and the pods of all stories.
    for (const [index, story] of stories.entries()) {
      await record(story, index);
      await removeTraces(`${chapter}-${index}`);
    }
  }
  return Object.fromEntries(stories.map(({ name }, index) => [name, outcomes[index]!]));
}

/** Resolves when the nodes and the namespace of a story are gone. */
async function removeTraces(story: string): Promise<void> {
  for (const path of ["/api/v1/nodes", "/api/v1/namespaces"]) {
    for (;;) {
      const { body } = await send(kubeconfig, { method: "GET", path });
      const { items } = body as { items: { metadata: { name: string } }[] };
      const names = items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith(story));
      if (names.length === 0) break;
      for (const name of names) await send(kubeconfig, { method: "DELETE", path: `${path}/${name}` });
      await delay(250);
    }
  }
}
