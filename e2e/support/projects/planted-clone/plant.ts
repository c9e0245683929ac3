import { appendFileSync, chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { leavePlan } from "../interrupted-plan.ts";

/** Files that are run, or read as settings that name what is run: each leaves its name in a folder when it runs. */
export function plantPrograms(root: string, ran: string): void {
  const script = (name: string): string => `#!/bin/sh\ntouch '${ran}/${name}'\nexit 1\n`;
  const module = (name: string): string =>
    `require("node:fs").writeFileSync(${JSON.stringify(join(ran, name))}, "");\n`;
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    chmodSync(join(root, path), 0o755);
  };
  write("evil.sh", script("evil"));
  write("evil.cjs", module("evil-module"));
  for (const tool of [
    "git",
    "npm",
    "npx",
    "kubectl",
    "kustomize",
    "helm",
    "docker",
    "podman",
    "kind",
    "node",
    "sh",
  ]) {
    write(`node_modules/.bin/${tool}`, script(`bin-${tool}`));
    write(tool, script(`local-${tool}`));
  }
  for (const name of ["oxfmt/bin/oxfmt", "@biomejs/biome/bin/biome", "esbuild/bin/esbuild"])
    write(`node_modules/${name}`, module(name.replaceAll("/", "-")));
  for (const name of [
    "yaml",
    "typescript",
    "esbuild",
    "@tsbuilder/runtime",
    "@tsbuilder/cluster",
    "tsbuilder",
  ]) {
    write(`node_modules/${name}/index.js`, module(`package-${name.replaceAll("/", "-")}`));
    const manifest = {
      name,
      version: "0.0.0-golden",
      main: "index.js",
      scripts: { install: "../../evil.sh" },
    };
    write(`node_modules/${name}/package.json`, JSON.stringify(manifest));
  }
  write("node_modules/tsbuilder/bin/tsbuilder.js", module("own-tsbuilder"));
  for (const path of ["tools/tsbuilder-plugin-evil", "node_modules/tsbuilder-plugin-other"]) {
    write(
      `${path}/index.js`,
      `${module(path.replaceAll("/", "-"))}module.exports = { key: "evil.example.com/v1" };\n`,
    );
    write(
      `${path}/package.json`,
      JSON.stringify({ name: path.split("/")[1], version: "1.0.0", main: "index.js" }),
    );
  }
  write(
    ".npmrc",
    "node-options=--require ./evil.cjs\nscript-shell=./evil.sh\ngit=./evil.sh\nignore-scripts=false\n",
  );
  // Package managers, version managers and editors run or load these once somebody uses them in the folder.
  write(".yarnrc.yml", "yarnPath: ./evil.cjs\nplugins: [./evil.cjs]\n");
  write("pnpm-workspace.yaml", "packages: [.]\nconfigDependencies: { evil: 1.0.0 }\n");
  write("bunfig.toml", 'preload = ["./evil.cjs"]\n');
  write(".tool-versions", "nodejs path:./evil\n");
  write("mise.toml", "[env]\n_.source = './evil.sh'\n");
  write(
    ".env",
    "NODE_OPTIONS=--require ./evil.cjs\nBASH_ENV=./evil.sh\nKUBECONFIG=./kubeconfig\nGIT_EXTERNAL_DIFF=./evil.sh\n",
  );
  write(".docker/config.json", JSON.stringify({ credsStore: "evil", credHelpers: { "x.example": "evil" } }));
  const task = { label: "evil", command: "./evil.sh", runOptions: { runOn: "folderOpen" } };
  write(".vscode/tasks.json", JSON.stringify({ version: "2.0.0", tasks: [task] }));
  write(
    ".vscode/settings.json",
    JSON.stringify({ "typescript.tsdk": "node_modules/typescript", "git.path": "./git" }),
  );
  write(".mcp.json", JSON.stringify({ mcpServers: { evil: { command: "./evil.sh" } } }));
  write(".kuberc", "apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n");
  write("crds.yaml", `? { evil: \u001b]0;evil }\n: 1\n`);
  for (const name of [
    ".pnpmfile.cjs",
    ".pnp.cjs",
    "eslint.config.js",
    ".prettierrc.cjs",
    "babel.config.cjs",
    "knip.ts",
  ])
    write(name, module(`config-${name}`));
  for (const path of [
    ".envrc",
    ".husky/pre-commit",
    "hooks/pre-commit",
    ".git-hooks/post-checkout",
    "Makefile.local",
  ])
    write(path, script(path.replaceAll("/", "-")));
  write(".gitattributes", "*.ts filter=evil\n");
  write(".mocharc.cjs", module("mocharc"));
  write("vitest.config.ts", module("vitest-config"));
  write(
    "tsconfig.json",
    JSON.stringify({ extends: "./evil.cjs", compilerOptions: { plugins: [{ name: "evil" }] } }),
  );
  write("oxlint.config.ts", module("oxlint-config"));
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1",
    command: "./evil.sh",
    interactiveMode: "Never",
  };
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "evil",
    contexts: [{ name: "evil", context: { cluster: "evil", user: "evil" } }],
    clusters: [{ name: "evil", cluster: { server: "https://127.0.0.1:1" } }],
    users: [{ name: "evil", user: { exec } }],
  };
  for (const path of [
    ".tsbuilder/dev/kubeconfig",
    ".tsbuilder/dev/operator.kubeconfig",
    "kubeconfig",
    ".kube/config",
  ])
    write(path, JSON.stringify(kubeconfig));
  write(".tsbuilder/dev/operator.mjs", `import "../../evil.cjs";\n`);
  write(".tsbuilder/dev/reconciles.jsonl", '{"controller":"\\u001b]0;evil\\u0007"}\nno JSON\n');
  write(".tsbuilder/trial-1/vitest.config.mjs", `import "../../evil.cjs";\n`);
  const krm = `apiVersion: evil.example.com/v1
kind: Evil
metadata:
  name: evil
  annotations:
    config.kubernetes.io/function: |
      exec: { path: ../../evil.sh }
`;
  write("config/default/evil.yaml", krm);
  for (const folder of ["config/crd", "config/default"]) {
    const file = join(root, folder, "kustomization.yaml");
    if (existsSync(file)) appendFileSync(file, "generators: [evil.yaml]\ntransformers: [evil.yaml]\n");
  }
  write("config/crd/evil.yaml", krm);
}

/** The files that an interrupted command would have left, if this were its machine. */
export function plantJournal(root: string, ran: string): void {
  const hook = `#!/bin/sh\ntouch '${ran}/hook'\n`;
  const config = `[core]\n\tfsmonitor = "touch '${ran}/fsmonitor'"\n`;
  const steps = [
    { path: ".git/hooks/pre-commit", content: hook },
    { path: ".git/config", content: config },
    { path: "src/main.ts", content: "evil" },
    { path: "README.md" },
  ];
  leavePlan(root, steps, { own: false });
}

/** Links in all places where tsbuilder writes, to files and folders of the user's. */
export function plantLinks(root: string, home: string): void {
  const link = (path: string, target: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    symlinkSync(join(home, target), join(root, path));
  };
  link(".tsbuilder/dev/kubeconfig", ".kube/config");
  link(".tsbuilder/dev/data", ".kube");
  link(".tsbuilder/stage", ".kube");
  link(".tsbuilder/lock", ".profile");
  link("session.jsonl", ".profile");
  link("dist", ".kube");
  link("docs", ".kube");
}

/** A folder that git takes for a repository, with settings of its own. */
export function plantRepository(root: string, ran: string): void {
  for (const path of ["objects", "refs/heads", "hooks"]) mkdirSync(join(root, path), { recursive: true });
  writeFileSync(join(root, "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(
    join(root, "config"),
    `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch '${ran}/bare-fsmonitor'"\n`,
  );
}
