import { resolve } from "node:path";
import { defineCommand } from "../command.ts";

export const replay = defineCommand({
  summary: "Show what a session of dev recorded",
  description:
    "Tells what tsbuilder dev --record wrote to a file: who created, changed and deleted which objects, which requests were reconciled, why and how that ended, and what the operator printed. The guide to recordings in the book describes the file.",
  flags: {
    object: {
      type: "string",
      summary: "only what is about objects of this name, and about what they own",
      placeholder: "NAMESPACE/NAME",
    },
    quiet: { type: "boolean", summary: "leave out what dev and the operator printed", default: false },
  },
  positionals: ["file"],
  examples: ["tsbuilder replay session.jsonl", "tsbuilder replay session.jsonl --object default/db"],
  async run({ flags, positionals: [file = ""], cwd, ui }) {
    const { readRecording } = await import("../../dev/record/read-recording.ts");
    const { everything, tellRecording } = await import("../../dev/record/tell-recording.ts");
    const { session, recorded } = readRecording(resolve(cwd, file));
    ui.note(`${session.project}, recorded by tsbuilder ${session.tsbuilder} on ${session.at.slice(0, 10)}`);
    for (const { at, about, text } of tellRecording(recorded)) {
      const isChosen =
        flags.object === undefined ? !flags.quiet || about.length > 0 : about.includes(flags.object);
      if (!isChosen && about !== everything) continue;
      ui.print(`${at.slice(11, 23)}  ${text}`);
    }
  },
});
