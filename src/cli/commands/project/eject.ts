import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findOwnPackage } from "../../../packaging/own-package.ts";
import { listVendored } from "../../../packaging/vendor.ts";
import { type TemplatePart, renderPart } from "../../../scaffold/blueprint.ts";
import { Draft } from "../../../scaffold/tree.ts";
import { TsbuilderError } from "../../../shared/errors.ts";
import { licensesFile } from "../../../shared/third-party-licenses.ts";
import { readJsonObject } from "../../../shared/read-json.ts";
import { defineCommand, flag } from "../../arguments/command.ts";
import { installDependencies } from "../../packages/install-dependencies.ts";
import { applyOrShow, openToChange, planFlags } from "../../project/open-project.ts";

export const eject = defineCommand({
  description:
    "The project then builds, generates and deploys without this program: hack/operator.js has what its scripts do, and hack/tsbuilder the parts of tsbuilder that it imports. Scripts of other commands, such as dev, bundle and chart, are removed. The libraries stay: @tsbuilder/runtime, and for tests cluster and simulation. PROJECT stays, too, so that a tsbuilder installed elsewhere still works here. Commit first: git restores what it was before.",
  flags: { "skip-install": flag.switch("do not install the packages"), ...planFlags },
  examples: ["tsbuilder eject --diff", "tsbuilder eject"],
  async run(call) {
    const { flags, ui } = call;
    const root = await openToChange(call, async (opened) => {
      const draft = new Draft(opened.tree);
      const notes = planEject(draft, listVendored(opened.root));
      return applyOrShow(opened.root, { changes: draft.changes(), notes }, flags, ui)
        ? opened.root
        : undefined;
    });
    if (root === undefined) return;
    if (!flags["skip-install"]) installDependencies(root, ui);
    ui.print(`\nThe project needs no tsbuilder any more. Next: npm run manifests, npm test, npm run build`);
  },
});

const kept = "manifests|generate|build|push|run|installer|install|uninstall|deploy|undeploy";
/** A call of a command that `hack/operator.js` has, too: with the same name and flags. */
const keptCall = new RegExp(
  `(?<![\\w/@.-])(?:npx (?:--no-install )?)?tsbuilder (?=(?:${kept})(?![\\w-]| [a-z]))`,
  "gu",
);
export const ejectedPart: TemplatePart = { key: "ejected", templates: "typescript/eject", context: {} };
const otherCall = /(?<![\w/@.-])tsbuilder [a-z]/u;
const folder = "hack/tsbuilder";

/** Plans the files of an ejected project. Returns notes about what is gone, and files that still name other commands of tsbuilder. */
function planEject(draft: Draft, vendored: readonly string[]): string[] {
  if (draft.has(folder)) {
    const hint = `to eject it again, delete "${folder}" and hack/operator.js`;
    throw new TsbuilderError("the project is ejected already", { code: "ALREADY_EXISTS", hint });
  }
  const removed = editManifest(draft, vendored);
  for (const path of vendored) if (/^vendor\/tsbuilder-\d/u.test(path)) draft.remove(path);
  for (const { path, content } of renderPart(ejectedPart)) draft.write(path, content);
  for (const [name, content] of readParts()) draft.write(`${folder}/${name}`, content, "generated");
  edit(draft, "Makefile", (text) => removed.reduce(withoutTarget, text));
  edit(draft, "Dockerfile", (text) => text.replace(/^COPY src\/ src\/$/mu, "$&\nCOPY hack/ hack/"));
  edit(draft, ".dockerignore", (text) => text.replace(/^!src$/mu, "$&\n!hack"));
  edit(draft, ".devcontainer/post-install.sh", (text) => text.replace(/^.*tsbuilder completion.*\n/mu, ""));
  for (const file of [".oxlintrc.json", ".oxfmtrc.json"])
    edit(draft, file, (text) => text.replace(/"ignorePatterns": \[(\s*)/u, `$&"/${folder}/",$1`));
  const texts = [".github/workflows/release.yml", "README.md", "AGENTS.md", ".devcontainer/post-install.sh"];
  for (const file of texts) edit(draft, file, (text) => text.replaceAll(keptCall, "node hack/operator.js "));
  const left = ["Makefile", ...texts].filter((file) => otherCall.test(draft.read(file) ?? ""));
  return [
    ...(removed.length === 0
      ? []
      : [`These scripts are removed, which need tsbuilder: ${removed.join(", ")}`]),
    ...(left.length === 0 ? [] : [`These files still name commands of tsbuilder: ${left.join(", ")}`]),
  ];
}

function edit(draft: Draft, file: string, change: (text: string) => string): void {
  const text = draft.read(file);
  if (text !== undefined) draft.write(file, change(text));
}

/** Removes a target of the scaffolded Makefile, up to the empty line after it. */
function withoutTarget(text: string, name: string): string {
  return text.replace(new RegExp(`^\\.PHONY: ${name}\n${name}:.*\n(?:.+\n)*\n?`, "mu"), "");
}

/** Has scripts call `hack/operator.js`, and depends on what tsbuilder depended on. Returns the scripts that are removed. */
function editManifest(draft: Draft, vendored: readonly string[]): string[] {
  const file = "package.json";
  const text = draft.read(file) ?? "{}";
  const manifest = readJsonObject(file, text) as Manifest;
  const { tsbuilder: _, ...others } = manifest.devDependencies ?? {};
  const own = findOwnPackage().folder;
  const { dependencies } = readJsonObject(file, readFileSync(join(own, file), "utf8")) as Manifest;
  const tarball = vendored.find((name) => name.startsWith("vendor/tsbuilder-apimachinery-"));
  const library = tarball === undefined ? manifest.dependencies?.["@tsbuilder/runtime"] : `file:${tarball}`;
  const scripts = Object.entries(manifest.scripts ?? {}).map(
    ([name, script]) => [name, script.replaceAll(keptCall, "node hack/operator.js ")] as const,
  );
  const removed = scripts.filter(([, script]) => otherCall.test(script)).map(([name]) => name);
  const next = {
    ...manifest,
    scripts: Object.fromEntries(scripts.filter(([name]) => !removed.includes(name))),
    devDependencies: {
      "@tsbuilder/apimachinery": library,
      ...others,
      esbuild: dependencies?.["esbuild"],
    },
  };
  draft.write(file, `${JSON.stringify(next, undefined, 2)}\n`);
  return removed;
}

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Reads what `hack/operator.js` imports, with everything that this imports, and the licenses. */
function readParts(): Map<string, string> {
  const { folder: own } = findOwnPackage();
  const read = (name: string): string => readFileSync(join(own, "dist/lib", name), "utf8");
  const parts = new Map<string, string>();
  const names = new Set(["ejected.js"]);
  // The loop over a Set also visits names that it adds.
  for (const name of names) {
    const text = read(name);
    parts.set(name, text);
    for (const [, imported = ""] of text.matchAll(/(?:from|import|import\()\s*"\.\/([^"]+\.js)"/gu))
      names.add(imported);
  }
  parts.set(licensesFile, read(licensesFile));
  return parts.set("LICENSE", readFileSync(join(own, "LICENSE"), "utf8"));
}
