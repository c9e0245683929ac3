import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeImageArchive } from "./image-archive.ts";

/** The image of nodes made here: kind's are not reached from machines without the internet. */
export const nodeImage = "localhost/node:1";

const programs =
  `bash cat chmod cp env getent grep hostname ls mkdir mount mv rm sleep umount nsenter ip xtables-nft-multi
containerd containerd-shim-runc-v2 ctr runc`.split(/\s+/u);
const tables = ["", "-save", "-restore"].flatMap((word) => [`iptables${word}`, `ip6tables${word}`]);

/** Writes an image of this machine's programs for nodes, with Kubernetes' from a folder, as an archive. */
export function writeNodeImage(archive: string, kubernetes: string): void {
  const root = mkdtempSync(join(tmpdir(), "node-image-"));
  try {
    for (const name of ["bin", "sbin", "lib", "lib64"]) {
      mkdirSync(join(root, "usr", name), { recursive: true });
      symlinkSync(`usr/${name}`, join(root, name));
    }
    for (const name of ["proc", "sys", "dev", "run", "tmp", "etc", "var/lib", "usr/local/bin", "opt/cni/bin"])
      mkdirSync(join(root, name), { recursive: true });
    const paths = programs.map((name) => realpathSync(output("which", name).trim()));
    const extensions = output("find", "/usr/lib", "-name", "lib*xt_*.so").trim().split("\n");
    copy(root, [...paths, ...extensions, ...new Set([...paths, ...extensions].flatMap(libraries))]);
    for (const name of tables) symlinkSync("xtables-nft-multi", join(root, "usr/sbin", name));
    if (!existsSync(join(root, "etc/nsswitch.conf"))) copy(root, ["/etc/nsswitch.conf", "/etc/passwd"]);
    for (const name of ["kubelet", "kube-proxy"])
      execFileSync("cp", [join(kubernetes, name), join(root, "usr/local/bin")]);
    for (const name of ["ptp", "portmap", "host-local", "loopback"])
      execFileSync("cp", [join("/usr/lib/cni", name), join(root, "opt/cni/bin")]);
    writeImageArchive(archive, nodeImage, root, { Env: ["PATH=/usr/local/bin:/usr/sbin:/usr/bin"] });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function output(program: string, ...words: readonly string[]): string {
  return execFileSync(program, words, { encoding: "utf8" });
}

/** The libraries of a program; none of a static one. */
function libraries(path: string): string[] {
  try {
    const told = execFileSync("ldd", [path], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return [...told.matchAll(/(\/\S+) \(0x/gu)].map(([, library]) => library!);
  } catch {
    return [];
  }
}

/** Copies files to the same paths below a folder; links are followed. */
function copy(root: string, paths: readonly string[]): void {
  execFileSync("cp", ["--parents", "--dereference", ...paths.map((path) => usr(path)), root]);
}

/** The path below `/usr`, to which the folders beside it are links. */
function usr(path: string): string {
  return /^\/(?:s?bin|lib(?:64)?)\//u.test(path) ? `/usr${path}` : path;
}
