import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes an executable where kubebuilder looks for `NAME/VERSION`. */
export function writeExecutable(folder: string, key: string, text: string, ending = ""): void {
  const [name = ""] = key.split("/");
  mkdirSync(join(folder, key), { recursive: true });
  const file = join(folder, key, `${name}${ending}`);
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}

/** A plugin in Python: a page for the project, one for each kind, and lines in files of others. */
export const pythonPlugin = `#!/usr/bin/env python3
import json, sys

request = json.load(sys.stdin)
command, args, universe = request["command"], request["args"], request["universe"]
response = {"apiVersion": "v1alpha1", "command": command, "universe": universe}
value = lambda name, missing: args[args.index(name) + 1] if name in args else missing

if command == "flags":
    response["flags"] = {
        "--init": [{"name": "color", "type": "string", "default": "blue", "usage": "color of the pages"}],
        "--api": [{"name": "shade", "type": "int", "default": "", "usage": "shade of the kind's page"},
                  {"name": "kind", "type": "string", "default": "", "usage": "read by the CLI itself"}],
    }.get(args[0], [])
elif command == "metadata":
    response["metadata"] = {"Description": "pages in color", "Examples": ""}
elif command == "init":
    universe["docs/color.md"] = "# Color\\n\\n" + value("--color", "blue") + "\\n"
    universe["README.md"] += "\\nPainted " + value("--color", "blue") + ".\\n"
elif command == "create api":
    kind, shade = value("--kind", ""), value("--shade", "1")
    if shade == "13":
        response.update(error=True, errorMsgs=["no shade 13", "try 12"])
    universe["docs/" + kind.lower() + ".md"] = kind + " in shade " + shade + "\\n"
    universe["docs/color.md"] += "\\n## " + kind + "\\n"
    print("painted", kind, "of", request["config"]["domain"], "chain", len(request["pluginChain"]), file=sys.stderr)
else:
    response.update(error=True, errorMsgs=["unknown command " + command])
print(json.dumps(response))
`;
