import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addProgram } from "../../support/registries/base-images.ts";
import { buildKubernetes, cacheFolder, downloadKubernetes } from "../real/build-kubernetes.ts";
import { findBinaries } from "../real/control-plane-binaries.ts";
import { installPackages } from "../real/node/debian-packages.ts";
import { writeImageArchive } from "../real/node/image-archive.ts";

// The images of the suite's pods under their own names, made of the same programs: Kubernetes' are built from its module, the others
// are Debian's. They are in no registry that this machine reaches.

const registry = "registry.k8s.io/e2e-test-images";
const path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Programs of Debian, by the package that has them. */
const packages = {
  busybox: "busybox-static",
  bash: "bash",
  curl: "curl",
  dig: "bind9-dnsutils",
  "/usr/bin/nc.openbsd": "netcat-openbsd",
  nginx: "nginx-light",
};

/** Programs of Kubernetes, by their packages. */
const built = {
  agnhost: "k8s.io/kubernetes/test/images/agnhost",
  "sample-apiserver": "k8s.io/sample-apiserver",
  nnp: "k8s.io/kubernetes/test/images/nonewprivs",
};

/** An image: what is in it besides a shell, and how it is started. */
interface Image {
  readonly names: readonly string[];
  readonly fill: (root: string) => void;
  readonly config?: object;
}

/** Returns archives of all images, which are written unless the cache has them; or says why that can't be done. */
export function prepareSuiteImages({ build = true } = {}): readonly string[] | { readonly missing: string } {
  const missing = installPackages(packages);
  if (missing !== undefined) return { missing };
  const control = findBinaries();
  if ("missing" in control) return control;
  const folder = cacheFolder("suite-images");
  const targets = Object.entries(built).filter(([output]) => !existsSync(join(folder, output)));
  if (targets.length > 0 && !build)
    return {
      missing: `no programs for images in "${folder}": npm run lab -- conformance --build --nodes 2 makes them`,
    };
  if (targets.length > 0)
    buildKubernetes(
      folder,
      targets.map(([output, each]) => ({ output, path: each, isStatic: true })),
    );
  return imagesOf(folder, control.folder).map((image) => writeImage(folder, image));
}

function imagesOf(folder: string, control: string): Image[] {
  const sources = join(downloadKubernetes("kubernetes").Dir, "test/images");
  const agnhost = (root: string): void => {
    cpSync(join(folder, "agnhost"), join(root, "agnhost"));
    symlinkSync("agnhost", join(root, "agnhost-2"));
    for (const name of ["curl", "dig", "getent"]) addProgram(root, `/usr/bin/${name}`);
    addProgram(root, "/usr/bin/nc.openbsd");
    rmSync(join(root, "bin/nc"));
    symlinkSync("/usr/bin/nc.openbsd", join(root, "bin/nc"));
    mkdirSync(join(root, "uploads"));
    for (const name of ["localhost.crt", "localhost.key"])
      cpSync(join(sources, "agnhost/porter", name), join(root, name));
    addUser(root, "user-defined-in-image:x:1000:1000::/home:/bin/sh");
    addGroup(root, "user-defined-in-image:x:1000:", "group-defined-in-image:x:50000:user-defined-in-image");
  };
  return [
    {
      names: ["agnhost:2.63.0"],
      fill: agnhost,
      config: { Entrypoint: ["/agnhost"], Cmd: ["pause"] },
    },
    { names: ["agnhost:2.55"], fill: agnhost, config: { Entrypoint: ["/agnhost"], Cmd: ["pause"] } },
    { names: ["busybox:1.37.0-1"], fill: () => undefined, config: { Cmd: ["sh"] } },
    {
      names: ["glibc-dns-testing:2.0.0"],
      fill: (root) => ["dig", "getent"].forEach((name) => addProgram(root, `/usr/bin/${name}`)),
      config: { Cmd: ["bash"] },
    },
    ...["nginx:1.15-4", "nginx:1.27-0"].map((name) => ({
      names: [name],
      fill: nginx,
      config: { Cmd: ["nginx", "-g", "daemon off;"] },
    })),
    ...["nautilus:1.8", "kitten:1.8"].map((name) => ({
      names: [name],
      fill: (root: string) => {
        agnhost(root);
        const html = join(sources, name.split(":")[0]!, "html");
        for (const file of ["data.json", `${name.split(":")[0]!}.jpg`])
          if (existsSync(join(html, file))) cpSync(join(html, file), join(root, file));
      },
      config: { Entrypoint: ["/agnhost"], Cmd: ["test-webserver"] },
    })),
    {
      names: ["nonewprivs:1.4"],
      fill: (root) => {
        cpSync(join(folder, "nnp"), join(root, "usr/local/bin/nnp"));
        chmodSync(join(root, "usr/local/bin/nnp"), 0o4755);
      },
      config: { Cmd: ["nnp"] },
    },
    { names: ["nonroot:1.5"], fill: () => undefined, config: { User: "1234", Cmd: ["sh"] } },
    {
      names: ["sample-apiserver:1.29.2"],
      fill: (root) => cpSync(join(folder, "sample-apiserver"), join(root, "sample-apiserver")),
      config: { Entrypoint: ["/sample-apiserver"] },
    },
    {
      names: ["registry.k8s.io/etcd:3.6.8-0"],
      fill: (root) => {
        const etcd = join(control, "etcd");
        // It is linked with the libraries of this machine.
        addProgram(root, etcd);
        symlinkSync(etcd, join(root, "usr/local/bin/etcd"));
      },
      config: { Cmd: ["etcd"] },
    },
    {
      names: ["registry.k8s.io/pause:3.10.2"],
      fill: (root) => cpSync(join(folder, "agnhost"), join(root, "agnhost")),
      config: { Entrypoint: ["/agnhost", "pause"] },
    },
  ];
}

/** Debian's nginx with the paths and the log of its image. */
function nginx(root: string): void {
  addProgram(root, "/usr/sbin/nginx");
  for (const name of [
    "etc/nginx",
    "var/log/nginx",
    "var/lib/nginx",
    "run",
    "usr/share/nginx/html",
    "usr/share/nginx/modules",
  ])
    mkdirSync(join(root, name), { recursive: true });
  cpSync("/etc/nginx/mime.types", join(root, "etc/nginx/mime.types"));
  writeFileSync(join(root, "usr/share/nginx/html/index.html"), "<h1>Welcome to nginx!</h1>\n");
  writeFileSync(
    join(root, "etc/nginx/nginx.conf"),
    `user nobody; error_log /dev/stderr; pid /run/nginx.pid; events {}
http { include mime.types; access_log /dev/stdout; server { listen 80; location / { root /usr/share/nginx/html; } } }
`,
  );
}

function writeImage(folder: string, { names, fill, config = {} }: Image): string {
  const full = names.map((name) => (name.includes("/") ? name : `${registry}/${name}`));
  const archive = join(folder, `${full[0]!.replaceAll(/[/:]/gu, "-")}.tar`);
  if (existsSync(archive)) return archive;
  const root = mkdtempSync(join(tmpdir(), "suite-image-"));
  try {
    // A folder is made for its owner alone, and containers may run as anybody.
    chmodSync(root, 0o755);
    writeShell(root);
    fill(root);
    // Images of the same content would be one, and a pod's status would name any of them.
    const Labels = { name: full[0]! };
    writeImageArchive(`${archive}.part`, full, root, { Env: [path], Labels, ...config });
    execFileSync("mv", [`${archive}.part`, archive]);
    return archive;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function writeShell(root: string): void {
  for (const name of ["bin", "usr/bin", "usr/sbin", "usr/local/bin", "etc", "root", "home", "var/run"])
    mkdirSync(join(root, name), { recursive: true });
  mkdirSync(join(root, "tmp"));
  chmodSync(join(root, "tmp"), 0o1777);
  cpSync("/bin/busybox", join(root, "bin/busybox"));
  const applets = execFileSync("busybox", ["--list"], { encoding: "utf8" }).trim().split("\n");
  for (const applet of applets.filter((name) => !["busybox", "sh"].includes(name)))
    symlinkSync("busybox", join(root, "bin", applet));
  // Debian's busybox takes its own programs before those of the PATH, and drops variables that it can't name.
  addProgram(root, "/usr/bin/bash");
  symlinkSync("/usr/bin/bash", join(root, "bin/sh"));
  writeFileSync(join(root, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n");
  writeFileSync(join(root, "etc/group"), "root:x:0:\nnogroup:x:65534:\nnobody:x:65534:\n");
  writeFileSync(join(root, "etc/nsswitch.conf"), "hosts: files dns\n");
}

function addUser(root: string, line: string): void {
  writeFileSync(join(root, "etc/passwd"), `${line}\n`, { flag: "a" });
}

function addGroup(root: string, ...lines: readonly string[]): void {
  writeFileSync(join(root, "etc/group"), `${lines.join("\n")}\n`, { flag: "a" });
}
