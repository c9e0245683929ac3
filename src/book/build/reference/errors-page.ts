import { explainedCodes, explainedSystemCodes } from "../../../cli/commands/explain.ts";
import { code, type Page, prose, table } from "./markdown.ts";

/** Every code of an error, with what it means and what to do: what `tsbuilder explain` prints. */
export const errorsPage: Page = {
  title: "Error codes",
  order: 4,
  body: [
    `A command that fails says what failed and what to do about it; ${code("--output json")} adds the error's code. ${code("tsbuilder explain CODE")} prints what this page says about one, without a network.`,
    ...Object.entries(explainedCodes)
      .filter(([name]) => !Object.hasOwn(explainedSystemCodes, name))
      .flatMap(([name, { meaning, remedy }]) => [`## ${name}`, prose(meaning), prose(remedy)]),
    "## Errors of the operating system",
    "These codes are the operating system's own. The message names the file, the program or the address.",
    table(
      ["code", "meaning", "what to do"],
      Object.entries(explainedSystemCodes).map(([name, { meaning, remedy }]) => [
        code(name),
        prose(meaning),
        prose(remedy),
      ]),
    ),
  ],
};
