import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

/** The release that the generators match. */
export const controllerGenVersion = "v0.23.0";

const cache = join(homedir(), ".cache", "tsbuilder", "controller-gen");

/** Finds controller-gen, or installs it by its Go module path; undefined without Go. */
export function findControllerGen(): string | undefined {
  const binary = join(cache, controllerGenVersion, "controller-gen");
  if (existsSync(binary)) return binary;
  try {
    execFileSync(
      "go",
      ["install", `sigs.k8s.io/controller-tools/cmd/controller-gen@${controllerGenVersion}`],
      {
        env: { ...process.env, GOBIN: join(cache, controllerGenVersion), GOFLAGS: "-mod=mod" },
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    return binary;
  } catch {
    return undefined;
  }
}

/** A Go package with the same types and markers as one of our examples. */
export interface GoTwin {
  readonly name: string;
  readonly group: string;
  readonly code: string;
}

/** Runs controller-gen over all twins at once; returns the text of each CRD by name, and the errors. */
export function runControllerGen(
  binary: string,
  twins: readonly GoTwin[],
  options = "",
): { readonly crds: ReadonlyMap<string, string>; readonly complaints: string } {
  const folder = prepareTwins(twins);
  let complaints = "";
  try {
    execFileSync(binary, [`crd${options}`, "paths=./api/...", "output:crd:dir=out"], {
      cwd: folder,
      env: environment,
      stdio: ["ignore", "ignore", "pipe"],
      maxBuffer: 1e8,
    });
  } catch (error) {
    complaints = String((error as { stderr?: Buffer }).stderr ?? error);
  }
  const crds = new Map<string, string>();
  for (const file of existsSync(join(folder, "out")) ? readdirSync(join(folder, "out")) : []) {
    const twin = twins.find(({ group }) => file.startsWith(`${group}_`));
    if (twin) crds.set(twin.name, readFileSync(join(folder, "out", file), "utf8"));
  }
  return { crds, complaints };
}

/** Runs another generator of controller-gen over a package that contains only markers; returns its output. */
export function runMarkers(binary: string, markers: string, generator: string): string {
  const folder = prepareTwins([]);
  mkdirSync(join(folder, "api", "markers"), { recursive: true });
  writeFileSync(join(folder, "api", "markers", "doc.go"), `package markers\n\n${markers}\n`);
  const output = generator.replace(/:.*/u, "");
  try {
    execFileSync(binary, [generator, "paths=./api/...", `output:${output}:dir=out`], {
      cwd: folder,
      env: environment,
      stdio: ["ignore", "ignore", "pipe"],
    });
  } catch (error) {
    return String((error as { stderr?: Buffer }).stderr ?? error);
  }
  const [file] = existsSync(join(folder, "out")) ? readdirSync(join(folder, "out")) : [];
  return file === undefined ? "" : readFileSync(join(folder, "out", file), "utf8");
}

const environment = { ...process.env, GOFLAGS: "-mod=mod" };

/**
 * Writes twins as one Go module, with Kubernetes' own types at the release of our tables. Each process has a separate
 * folder; only go.sum, which takes long to compute, is kept between runs.
 */
export function prepareTwins(twins: readonly GoTwin[]): string {
  const folder = join(tmpdir(), `tsbuilder-twins-${process.pid}`);
  const clean = (): void => rmSync(folder, { recursive: true, force: true });
  if (!isCleanedUp) process.once("exit", clean);
  isCleanedUp = true;
  clean();
  mkdirSync(folder, { recursive: true });
  const module = moduleFolder();
  for (const file of ["go.mod", "go.sum", "imports.go"]) copyFileSync(join(module, file), join(folder, file));
  for (const { name, group, code } of twins) {
    mkdirSync(join(folder, "api", name), { recursive: true });
    writeFileSync(join(folder, "api", name, "types.go"), completeTwin(name, group, code));
  }
  return folder;
}

let isCleanedUp = false;

function moduleFolder(): string {
  const folder = join(cache, "module");
  if (existsSync(join(folder, "go.sum"))) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "go.mod"), goMod);
  writeFileSync(join(folder, "imports.go"), goImports);
  execFileSync("go", ["mod", "tidy"], { cwd: folder, env: environment, stdio: "inherit" });
  return folder;
}

const goMod = `module example.com/twins

go 1.26.0

require (
	k8s.io/api v0.36.3
	k8s.io/apiextensions-apiserver v0.36.3
	k8s.io/apimachinery v0.36.3
)
`;

const packages: Readonly<Record<string, string>> = {
  metav1: "k8s.io/apimachinery/pkg/apis/meta/v1",
  resource: "k8s.io/apimachinery/pkg/api/resource",
  intstr: "k8s.io/apimachinery/pkg/util/intstr",
  runtime: "k8s.io/apimachinery/pkg/runtime",
  apiextensionsv1: "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
  corev1: "k8s.io/api/core/v1",
  appsv1: "k8s.io/api/apps/v1",
  batchv1: "k8s.io/api/batch/v1",
  networkingv1: "k8s.io/api/networking/v1",
};

const goImports = `package twins

import (
${Object.values(packages)
  .map((path) => `\t_ "${path}"`)
  .join("\n")}
)
`;

function completeTwin(name: string, group: string, code: string): string {
  const body = /^type Spec\b|metav1\.TypeMeta/mu.test(code) ? code : `type Spec struct {\n${code}}\n`;
  const kind = body.includes("metav1.TypeMeta")
    ? ""
    : `
type Case struct {
	metav1.TypeMeta   \`json:",inline"\`
	metav1.ObjectMeta \`json:"metadata,omitempty"\`

	Spec Spec \`json:"spec"\`
}
`;
  const imports = Object.entries(packages).filter(([alias]) =>
    new RegExp(`\\b${alias}\\.`, "u").test(body + kind),
  );
  const packageMarkers = [...body.matchAll(/^\/\/ package: (\+.*)$/gmu)].map(
    ([, marker]) => `// ${marker}\n`,
  );
  return `// +groupName=${group}
// +versionName=v1
${packageMarkers.join("")}package ${name}

import (
${imports.map(([alias, path]) => `\t${alias} "${path}"`).join("\n")}
)

${body}${kind}`;
}
