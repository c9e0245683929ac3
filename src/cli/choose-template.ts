import { type ReferenceTemplate, referenceTemplates } from "../plugins/typescript/reference-templates.ts";
import type { TemplateRecord } from "../project/project.ts";
import { TsbuilderError } from "../shared/errors.ts";

/** The flags that tell a template what it must know, by the words that its templates use. */
const optionFlags = {
  image: "image",
  containerCommand: "image-container-command",
  containerPort: "image-container-port",
  runAsUser: "run-as-user",
} as const;

type OptionFlag = (typeof optionFlags)[keyof typeof optionFlags];

/** The template that is asked for, and what it was told; `--image` alone asks for the one that deploys an image. */
export function chooseTemplate(
  flags: { readonly template: string | undefined } & { readonly [Flag in OptionFlag]: string | undefined },
): TemplateRecord | undefined {
  const name = flags.template ?? (flags.image === undefined ? undefined : "deploy-image");
  const reference = referenceTemplates.find((known) => known.name === name);
  const stray = Object.entries(optionFlags).find(
    ([option, flag]) => flags[flag] !== undefined && !(reference && option in reference.options),
  );
  if (stray) {
    throw new TsbuilderError(`--${stray[1]} is not for ${name === undefined ? "a skeleton" : `"${name}"`}`, {
      code: "INVALID_ARGUMENT",
      hint: "leave it out, or choose the template that takes it: --template deploy-image",
    });
  }
  return reference && { name: reference.name, options: readOptions(reference, flags) };
}

function readOptions(
  { name, options }: ReferenceTemplate,
  flags: { readonly [Flag in OptionFlag]: string | undefined },
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).map(([option, missing]) => {
      const flag = optionFlags[option as keyof typeof optionFlags];
      const value = flags[flag] ?? missing;
      if (value !== undefined) return [option, value];
      throw new TsbuilderError(`the template "${name}" needs --${flag}`, {
        code: "MISSING_ANSWER",
        hint: `add --${flag}, like --image nginx:1.29`,
      });
    }),
  );
}
