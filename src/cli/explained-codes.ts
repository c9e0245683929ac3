import { errorCodes } from "../shared/error-codes.ts";
import { sentence } from "../shared/text.ts";
import { type Advice, subjects, systemCodes } from "./system-codes.ts";

/** What a code stands for, and what to do. */
export interface ExplainedCode {
  readonly meaning: string;
  readonly remedy: string;
}

/** The codes of the operating system. */
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

/** A message names what it is about. */
function explainSystem({ subject, what, hint }: Advice): ExplainedCode {
  return { meaning: sentence(`${subjects[subject]} ${what}`), remedy: sentence(hint) };
}
