import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTsbuilder } from "../../support/dev/dev-process.ts";
import { repository } from "../../support/source-imports.ts";

/** One operator in three languages; its manifests are laid out in no particular way. */
const greeter = join(repository, "e2e/support/operators/greeter");
const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "tsbuilder");

/** How the operator is built and run in a language, or why it can't be. */
type Commands = { readonly build?: string; readonly exec: string } | { readonly missing: string };

interface Language {
  readonly name: string;
  readonly prepare: () => Commands;
  /** The line that it logs about the sample. */
  readonly logs: string;
  readonly edited: string;
  /** A text of that file, and what it becomes. */
  readonly edit: readonly [string, string];
  readonly logsThen: string;
}

const languages: readonly Language[] = [
  {
    name: "kopf",
    prepare: installKopf,
    logs: "[default/world] Handler 'greet' succeeded.",
    edited: "greeter.py",
    edit: ["import kopf\n", 'import kopf\n\nprint("edited")\n'],
    logsThen: "operator | edited",
  },
  {
    name: "kube-rs",
    prepare: () => buildOnce("cargo", ["build", "--locked", "--target-dir", target], "kube-rs", kubeRs),
    logs: "operator | default/world: Hello, world",
    edited: "src/main.rs",
    edit: ["Hello, ", "Goodbye, "],
    logsThen: "operator | default/world: Goodbye, world",
  },
  {
    name: "josdk",
    prepare: () => buildOnce("mvn", [...mvn, "compile", ...copyJars], "josdk", josdk),
    logs: "operator | default/world: Hello, world",
    edited: "src/main/java/com/example/Greeter.java",
    edit: ["Hello, ", "Goodbye, "],
    logsThen: "operator | default/world: Goodbye, world",
  },
];

const target = join(cache, "kube-rs");
const kubeRs = {
  build: `cargo build --locked --offline --target-dir ${target}`,
  exec: join(target, "debug/greeter"),
};
const mvn = ["--quiet", "--batch-mode"];
const copyJars = ["dependency:copy-dependencies", "-DoutputDirectory=target/lib"];
const josdk = {
  build: ["mvn", "--offline", ...mvn, "compile", ...copyJars].join(" "),
  exec: "java -cp 'target/classes:target/lib/*' com.example.Greeter",
};

describe.each(languages)("an operator on $name", ({ name, prepare, logs, edited, edit, logsThen }) => {
  const commands = prepare();
  if ("missing" in commands) console.log(`left out: an operator on ${name}: ${commands.missing}`);
  let work: string;
  let folder: string;
  beforeEach(() => {
    work = mkdtempSync(join(tmpdir(), "greeter-"));
    folder = join(work, "greeter");
    for (const part of ["deploy", "config"])
      cpSync(join(greeter, part), join(folder, part), { recursive: true });
    cpSync(join(greeter, name), folder, { recursive: true });
  });
  afterEach(() => rmSync(work, { recursive: true, force: true }));

  test.skipIf("missing" in commands)(
    "dev --exec runs it on its manifests, and again after a save",
    async () => {
      const shell = { folder, env: { XDG_STATE_HOME: join(work, "state") } };
      const words = Object.entries(commands).flatMap(([flag, command]) => [`--${flag}`, command]);
      const dev = startTsbuilder(shell, "dev", "--plain", "--samples", "--manifests", "deploy", ...words);
      try {
        await dev.sees("not applied: Deployment greeter: the command runs in its place");
        await dev.sees(logs);
        const file = join(folder, edited);
        writeFileSync(file, readFileSync(file, "utf8").replace(...edit));
        await dev.sees(`${edited}: reloaded in`);
        await dev.sees(logsThen);
      } finally {
        expect(await dev.stop("SIGINT")).toBe(0);
      }
    },
  );
});

/** Builds the operator once, so that later builds need no network: their tools cache what they downloaded. */
function buildOnce(command: string, args: readonly string[], name: string, commands: Commands): Commands {
  const folder = mkdtempSync(join(tmpdir(), "greeter-"));
  try {
    cpSync(join(greeter, name), folder, { recursive: true });
    return run(command, args, folder) ?? commands;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Installs the pinned packages outside the checkout, once for each version of them. */
function installKopf(): Commands {
  const requirements = join(greeter, "kopf/requirements.txt");
  const version = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const folder = join(cache, `kopf-${version}`);
  const commands = { exec: `${join(folder, "bin/kopf")} run greeter.py --all-namespaces --standalone` };
  if (existsSync(folder)) return commands;
  const partly = `${folder}.${process.pid}`;
  const failed =
    run("python3", ["-m", "venv", partly], tmpdir()) ??
    run(join(partly, "bin/pip"), ["install", "--quiet", "--requirement", requirements], tmpdir());
  if (failed) return failed;
  // The programs of a virtual environment name its folder.
  const program = join(partly, "bin/kopf");
  writeFileSync(program, readFileSync(program, "utf8").replaceAll(partly, folder));
  renameSync(partly, folder);
  return commands;
}

/** Runs a command; returns why it failed. */
function run(
  command: string,
  args: readonly string[],
  cwd: string,
): { readonly missing: string } | undefined {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status === 0) return undefined;
  return { missing: error?.message ?? `${stdout}${stderr}`.trim().split("\n").at(-1) ?? "" };
}
