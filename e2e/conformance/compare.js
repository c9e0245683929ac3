import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { chapters } from "./chapters.js";
import { runStory } from "./run-story.js";
/** The recorded answers of a real server, by story. */
export async function recordedAnswers(chapter) {
    const text = await readFile(new URL(`recorded/${chapter}.json`, import.meta.url), "utf8");
    return JSON.parse(text);
}
/** Runs a chapter on a server and gives every answer that differs from the recorded one. */
export async function compareChapter(kubeconfig, chapter) {
    const recorded = await recordedAnswers(chapter);
    const differences = [];
    for (const [index, story] of chapters[chapter].entries()) {
        const id = `${chapter.replace(/\W/g, "")}${index}`;
        const answers = await runStory(kubeconfig, story, id);
        for (const [step, actual] of answers.entries()) {
            const expected = recorded[story.name]?.[step];
            if (isDeepStrictEqual(actual, expected))
                continue;
            const { method, path } = story.steps[step];
            differences.push({ story: story.name, step: step + 1, request: `${method} ${path}`, expected, actual });
        }
    }
    return differences;
}
