import {
  type ReferenceTemplate,
  referenceTemplates,
} from "../../../plugins/typescript/reference-templates.ts";
import { kindFile } from "../../../project/names.ts";
import type { Resource, TemplateRecord } from "../../../project/project.ts";
import { TsbuilderError } from "../../../shared/errors.ts";

/** The flag for each option of a template, by the name that the template's files use. */
const optionFlags = {
  image: "image",
  containerCommand: "image-container-command",
  containerPort: "image-container-port",
  runAsUser: "run-as-user",
} as const;

type OptionFlag = (typeof optionFlags)[keyof typeof optionFlags];

/** The selected template and its options; `--image` alone selects `deploy-image`. */
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

/** Warns of what a template's operator may do to data. */
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
