import { errorCodes } from "../../shared/error-codes.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { didYouMean } from "../../shared/text.ts";
import { defineCommand } from "../command.ts";
import { type Advice, subjects, systemCodes } from "../system-codes.ts";

export const explain = defineCommand({
  summary: "Explain an error code",
  description: "Says when an error occurs and what to do about it. Without a code, lists them all.",
  flags: {},
  positionals: ["[code]"],
  examples: ["tsbuilder explain", "tsbuilder explain FILE_CHANGED"],
  async run({ positionals: [wanted], ui }) {
    if (wanted === undefined) {
      const width = Math.max(...[...codes.keys()].map((code) => code.length));
      for (const [code, { meaning }] of codes) ui.print(`${code.padEnd(width)}  ${meaning}`);
      return;
    }
    const code = wanted.toUpperCase().replaceAll("-", "_");
    const found = codes.get(code);
    if (!found) throw unknownCode(wanted, code);
    ui.print(`${code}\n\n${found.meaning}\n${found.remedy}`);
  },
});

/** All that an error of `--output json` may have. */
const codes = new Map(
  Object.entries({
    ...errorCodes,
    ...Object.fromEntries(Object.entries(systemCodes).map(([code, advice]) => [code, explainSystem(advice)])),
    INTERNAL: {
      meaning: "A bug in tsbuilder: the message is the stack of what failed.",
      remedy: "Report it with the message and the command that you ran.",
    },
  }),
);

/** A message names what it is about. */
function explainSystem({ subject, what, hint }: Advice): { meaning: string; remedy: string } {
  return { meaning: sentence(`${subjects[subject]} ${what}`), remedy: sentence(hint) };
}

function sentence(words: string): string {
  return `${words[0]!.toUpperCase()}${words.slice(1)}.`;
}

function unknownCode(wanted: string, code: string): TsbuilderError {
  const meant = didYouMean(code, [...codes.keys()]);
  return new TsbuilderError(`unknown error code "${wanted}"`, {
    code: "INVALID_ARGUMENT",
    hint: meant === undefined ? "run tsbuilder explain for a list of codes" : `did you mean "${meant}"?`,
  });
}
