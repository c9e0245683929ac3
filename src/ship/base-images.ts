/** Calls back with each base image of a Dockerfile, and puts what it returns in its place. */
export function replaceBaseImages(dockerfile: string, replace: (image: string) => string): string {
  const lines = dockerfile.split("\n");
  const used = usedArguments(lines);
  const stages = new Set<string>();
  return lines
    .map((line) => {
      const argument = argumentLine.exec(line)?.groups;
      if (argument && used.has(argument["name"]!))
        return `${argument["start"]}${replace(argument["image"]!)}${argument["rest"]}`;
      const from = fromLine.exec(line)?.groups;
      if (!from) return line;
      const { start = "", image = "", rest = "" } = from;
      const isImage = !image.includes("$") && image !== "scratch" && !stages.has(image);
      const stage = /\sAS\s+(\S+)/iu.exec(rest)?.[1];
      if (stage !== undefined) stages.add(stage);
      return isImage ? `${start}${replace(image)}${rest}` : line;
    })
    .join("\n");
}

/** The arguments that are the image of a stage: `FROM ${BASE_IMAGE}`. */
function usedArguments(lines: readonly string[]): Set<string> {
  const names = lines.flatMap((line) => {
    const image = fromLine.exec(line)?.groups?.["image"] ?? "";
    return /^\$\{?(\w+)\}?$/u.exec(image)?.[1] ?? [];
  });
  return new Set(names);
}

const argumentLine = /^(?<start>\s*ARG\s+(?<name>\w+)=)(?<image>[^\s$"']+)(?<rest>.*)$/isu;
const fromLine = /^(?<start>\s*FROM\s+(?:--\S+\s+)*)(?<image>\S+)(?<rest>.*)$/isu;
