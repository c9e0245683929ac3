import { execa } from "execa";

/** A folder and an environment in which commands run, without a terminal. */
export interface Shell {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A command's output and exit code. */
export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | undefined;
}

/** Runs a command as a user would; a failure throws an error with all of its output. */
export async function run(shell: Shell, command: string, ...args: string[]): Promise<CommandResult> {
  const result = await tryRun(shell, command, ...args);
  if (result.exitCode === 0) return result;
  throw new Error(
    `${command} ${args.join(" ")} ended with ${result.exitCode} in ${shell.folder}\n${result.stdout}\n${result.stderr}`,
  );
}

/** Runs a command that may fail. */
export async function tryRun(shell: Shell, command: string, ...args: string[]): Promise<CommandResult> {
  const { stdout, stderr, exitCode } = await execa(command, args, {
    cwd: shell.folder,
    env: { ...plainEnvironment(), ...shell.env },
    extendEnv: false,
    reject: false,
    stdin: "ignore",
    stripFinalNewline: false,
  });
  return { stdout, stderr, exitCode };
}

/** An environment, by default the machine's, without the variables that the test runner and npm set, as in a new terminal. */
export function plainEnvironment(environment = process.env): Record<string, string> {
  const kept = Object.entries(environment).filter(
    ([name]) => !/^(npm_|NODE_ENV$|VITEST|INIT_CWD$|FORCE_COLOR$|KUBECONFIG$)/i.test(name),
  );
  return Object.fromEntries(kept) as Record<string, string>;
}
