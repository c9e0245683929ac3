import type { TsbuilderError } from "../../shared/errors.ts";
import { didYouMean, sentence } from "../../shared/text.ts";
import { defineCommand, invalidArgument } from "../arguments/command.ts";
import { errorCodes } from "../../shared/error-codes.ts";
import { type Advice, subjects, systemCodes } from "../reporting/explain-error.ts";

/** The meaning of an error code, and what the user can do. */
interface ExplainedCode {
  readonly meaning: string;
  readonly remedy: string;
}

/** Explanations of the operating system's codes. */
export const explainedSystemCodes: Readonly<Record<string, ExplainedCode>> = Object.fromEntries(
  Object.entries(systemCodes).map(([code, advice]) => [code, explainSystem(advice)]),
);

/** All codes that an error of `--output json` may have. */
export const explainedCodes: Readonly<Record<string, ExplainedCode>> = {
  ...errorCodes,
  ...explainedSystemCodes,
  INTERNAL: {
    meaning: "A bug in tsbuilder: the message is the stack of what failed.",
    remedy: "Report it with the message and the command that you ran.",
  },
};

const codes = new Map(Object.entries(explainedCodes));

export const explain = defineCommand({
  description: "Says when an error occurs and what to do about it. Without a code, lists them all.",
  flags: { all: { type: "boolean", summary: "say what to do about each code" } },
  positionals: ["[code]"],
  examples: ["tsbuilder explain", "tsbuilder explain FILE_CHANGED", "tsbuilder explain --all --output json"],
  async run({ flags: { all }, positionals: [wanted], ui }) {
    if (all) {
      if (wanted !== undefined) throw codeAndAll();
      ui.add?.({ codes: [...codes].map(([code, advice]) => ({ code, ...advice })) });
      ui.print([...codes].map(([code, advice]) => describe(code, advice)).join("\n\n"));
      return;
    }
    if (wanted === undefined) {
      const width = Math.max(...[...codes.keys()].map((code) => code.length));
      for (const [code, { meaning }] of codes) ui.print(`${code.padEnd(width)}  ${meaning}`);
      return;
    }
    const code = wanted.toUpperCase().replaceAll("-", "_");
    const found = codes.get(code);
    if (!found) throw unknownCode(wanted, code);
    ui.add?.({ codes: [{ code, ...found }] });
    ui.print(describe(code, found));
  },
});

/** Explains a code without the name of the file or program, which only a message has. */
function explainSystem({ subject, what, hint }: Advice): ExplainedCode {
  return { meaning: sentence(`${subjects[subject]} ${what}`), remedy: sentence(hint) };
}

function describe(code: string, { meaning, remedy }: ExplainedCode): string {
  return `${code}\n\n${meaning}\n${remedy}`;
}

function codeAndAll(): TsbuilderError {
  return invalidArgument("a code and --all were given", "leave out one of them");
}

function unknownCode(wanted: string, code: string): TsbuilderError {
  const meant = didYouMean(code, [...codes.keys()]);
  return invalidArgument(
    `unknown error code "${wanted}"`,
    meant === undefined ? "run tsbuilder explain for a list of codes" : `did you mean "${meant}"?`,
  );
}
