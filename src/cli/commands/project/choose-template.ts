import {
  type ReferenceTemplate,
  referenceTemplates,
} from "../../../plugins/typescript/reference-templates.ts";
import { kindFile } from "../../../project/names.ts";
import type { Resource, TemplateRecord } from "../../../project/project.ts";
import { TsbuilderError } from "../../../shared/errors.ts";

/** The flag that sets each option of a template, by the option's name in the template's files. */
const optionFlags = {
  image: "image",
  containerCommand: "image-container-command",
  containerPort: "image-container-port",
  runAsUser: "run-as-user",
} as const;

type OptionFlag = (typeof optionFlags)[keyof typeof optionFlags];

/** Returns the selected template with its options; `--image` alone selects `deploy-image`. */
export function chooseTemplate(
  flags: { readonly template: string | undefined } & { readonly [Flag in OptionFlag]: string | undefined },
): TemplateRecord | undefined {
  const name = flags.template ?? (flags.image === undefined ? undefined : "deploy-image");
  const reference = referenceTemplates.find((known) => known.name === name);
  const stray = Object.entries(optionFlags).find(
    ([option, flag]) => flags[flag] !== undefined && !(reference && option in reference.options),
  );
  if (stray) {
    throw new TsbuilderError(
      `--${stray[1]} is not valid for ${name === undefined ? "a skeleton" : `the template "${name}"`}`,
      {
        code: "INVALID_ARGUMENT",
        hint: "omit it, or use the template that takes it: --template deploy-image",
      },
    );
  }
  return reference && { name: reference.name, options: readOptions(reference, flags) };
}

/** Returns a warning if the template's operator can lose data. */
export function cautionOf(resource: Resource): string[] {
  const { caution } = referenceTemplates.find(({ name }) => name === resource.template?.name) ?? {};
  return caution ? [`warning: ${caution(`docs/${kindFile(resource)}.md`)}`] : [];
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
        hint: `add --${flag}; for example: --image nginx:1.29`,
      });
    }),
  );
}
