import { visibleText } from "@tsbuilder/apimachinery/text";
import inquirer from "inquirer";
import { TsbuilderError } from "../../shared/errors.ts";
import type { FlagDefinition } from "./command.ts";

/** Asks for the value of a flag, which may be empty unless it is required. Throws if the user closes the prompt. */
export async function ask(flag: string, definition: FlagDefinition): Promise<string | boolean> {
  const message = visibleText(definition.prompt ?? `${definition.summary}:`);
  try {
    const { answer } = await inquirer.prompt<{ answer: string | boolean }>([toQuestion(message, definition)]);
    return answer;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "ExitPromptError") throw error;
    throw new TsbuilderError(`the prompt "${message}" was closed without an answer`, {
      code: "INTERRUPTED",
      hint: `pass it as a flag: ${flagText(flag, definition)}`,
    });
  }
}

function flagText(flag: string, { type, placeholder = "VALUE" }: FlagDefinition): string {
  return type === "boolean" ? `--${flag} or --${flag}=false` : `--${flag} ${placeholder}`;
}

function toQuestion(message: string, { type, choices, check, promptDefault, required }: FlagDefinition) {
  const name = "answer" as const;
  if (type === "boolean") return { type: "confirm" as const, name, message, default: promptDefault ?? true };
  if (choices)
    return {
      type: "select" as const,
      name,
      message,
      choices: choices.map((value) => ({ name: visibleText(value), value })),
    };
  return {
    type: "input" as const,
    name,
    message,
    ...(promptDefault === undefined ? {} : { default: String(promptDefault) }),
    validate: (answer: string) => checkAnswer(answer, check, required),
  };
}

function checkAnswer(answer: string, check: FlagDefinition["check"], required = false): true | string {
  if (answer === "") return required ? "A value is required." : true;
  try {
    check?.(answer);
    return true;
  } catch (error) {
    if (!(error instanceof TsbuilderError)) throw error;
    return `${error.message}: ${error.hint}`;
  }
}
