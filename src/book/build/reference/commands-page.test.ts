import { expect, test } from "vitest";
import { commands } from "../../../cli/commands/index.ts";
import { commandsPage } from "./reference-pages.ts";

const text = (await commandsPage()).body.join("\n");

test.each(commands)("the page of commands describes $name, with its flags and examples", async (entry) => {
  const { flags, examples = [] } = await entry.load();
  const section = text.slice(text.indexOf(`\n## ${entry.name}\n`)).split("\n## ")[1]!;
  const shown = Object.keys(flags).filter((flag) => flags[flag]!.hidden !== true);
  expect(shown.filter((flag) => !new RegExp(`^\\| \`(-\\w, )?--${flag}[\`\\[ ]`, "m").test(section))).toEqual(
    [],
  );
  expect(section).toContain(examples.map((line) => `$ ${line}`).join("\n"));
});

test("values, defaults, choices and what kubebuilder's flags become are shown", () => {
  expect(text).toContain("| `--domain DOMAIN` | required | Domain suffix of the API groups. |");
  expect(text).toContain(
    "| `--license VALUE` | `apache2` | License for the header of source files. One of `apache2`, ",
  );
  expect(text).toContain("| `--repo` | ignored | ");
  expect(text).toContain("| `--ssa` | an error | ");
});
