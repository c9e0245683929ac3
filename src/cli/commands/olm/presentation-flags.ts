import type { Presentation } from "../../../olm/bundle/base-csv.ts";
import { TsbuilderError } from "../../../shared/errors.ts";
import { type FlagDefinition, type FlagValues, listFlag, stringFlag } from "../../arguments/command.ts";
import { readIcon } from "../../arguments/flag-values.ts";

/** Flags for an operator's presentation in catalogs. A terminal asks for them before the first bundle. */
export const presentationFlags = {
  "display-name": stringFlag("name of the operator in catalogs", "NAME", {
    prompt: "Display name of the operator:",
  }),
  description: stringFlag("what the operator does, in Markdown", "TEXT", { prompt: "What does it do?" }),
  provider: stringFlag("who publishes the operator", "NAME", { prompt: "Who publishes it?" }),
  "provider-url": stringFlag("web page of the provider", "URL", { prompt: "Web page of the provider:" }),
  keywords: listFlag("words under which catalogs find the operator", "WORDS", {
    prompt: "Keywords, separated by commas:",
  }),
  maintainers: listFlag("maintainers, as NAME:EMAIL", "MAINTAINERS", {
    prompt: "Maintainers, as NAME:EMAIL, separated by commas:",
  }),
  icon: stringFlag("icon of the operator: an SVG, PNG, JPEG or GIF", "FILE"),
} as const satisfies Record<string, FlagDefinition>;

type Values = FlagValues<typeof presentationFlags>;

/** Reads the flags. Given values overwrite those in the base. */
export function readPresentation(values: Values, cwd: string): Presentation {
  const { provider, icon, keywords, maintainers, "provider-url": url } = values;
  if (url !== undefined && provider === undefined) {
    throw new TsbuilderError("--provider-url needs --provider", {
      code: "INVALID_ARGUMENT",
      hint: 'add the name: --provider "The platform team"',
    });
  }
  return {
    displayName: values["display-name"],
    description: values.description,
    provider: provider === undefined ? undefined : { name: provider, ...(url ? { url } : {}) },
    keywords: keywords.length > 0 ? keywords : undefined,
    maintainers: maintainers.length > 0 ? maintainers.map(readMaintainer) : undefined,
    icon: icon === undefined ? undefined : readIcon(cwd, icon),
  };
}

/** Asks for the values that were not given. An empty answer keeps the default. */
export async function askPresentation(values: Values): Promise<Values> {
  const { ask } = await import("../../arguments/prompt.ts");
  const answers: Record<string, string | readonly string[]> = {};
  for (const [flag, definition] of Object.entries(presentationFlags) as [keyof Values, FlagDefinition][]) {
    const value = values[flag];
    if (definition.prompt === undefined || (value !== undefined && value.length > 0)) continue;
    if (flag === "provider-url" && answers["provider"] === undefined && values.provider === undefined)
      continue;
    const answer = String(await ask(flag, definition)).trim();
    if (answer !== "") answers[flag] = definition.type === "list" ? answer.split(/\s*,\s*/u) : answer;
  }
  return { ...values, ...answers };
}

function readMaintainer(text: string): { readonly name: string; readonly email: string } {
  const { name, email } = /^(?<name>.+):(?<email>\S+@\S+)$/u.exec(text.trim())?.groups ?? {};
  if (name !== undefined && email !== undefined) return { name: name.trim(), email };
  throw new TsbuilderError(`"${text}" is not a maintainer`, {
    code: "INVALID_ARGUMENT",
    hint: 'use NAME:EMAIL, for example --maintainers "Ann Example:ann@example.com"',
  });
}
