import { errorCodes } from "../../shared/error-codes.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { didYouMean } from "../../shared/text.ts";
import { defineCommand } from "../command.ts";

export const explain = defineCommand({
  summary: "Explain an error code",
  description: "Says when an error occurs and what to do about it. Without a code, lists them all.",
  flags: {},
  positionals: ["[code]"],
  examples: ["tsbuilder explain", "tsbuilder explain FILE_CHANGED"],
  async run({ positionals: [wanted], ui }) {
    const codes = Object.entries(errorCodes);
    if (wanted === undefined) {
      const width = Math.max(...codes.map(([code]) => code.length));
      for (const [code, { meaning }] of codes) ui.print(`${code.padEnd(width)}  ${meaning}`);
      return;
    }
    const code = wanted.toUpperCase().replaceAll("-", "_");
    const found = codes.find(([name]) => name === code)?.[1];
    if (!found) throw unknownCode(wanted, code);
    ui.print(`${code}\n\n${found.meaning}\n${found.remedy}`);
  },
});

function unknownCode(wanted: string, code: string): TsbuilderError {
  const meant = didYouMean(code, Object.keys(errorCodes));
  return new TsbuilderError(`unknown error code "${wanted}"`, {
    code: "INVALID_ARGUMENT",
    hint: meant === undefined ? "run tsbuilder explain for a list of codes" : `did you mean "${meant}"?`,
  });
}
