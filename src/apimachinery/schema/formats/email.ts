/**
 * An address as Go's mail package parses it: `user@host`, `<user@host>`, or `Name <user@host>`,
 * with quoted local parts and names.
 */
export function isEmail(value: string): boolean {
  const text = value.trim();
  const open = text.endsWith(">") ? text.lastIndexOf("<") : -1;
  if (open === -1) return isAddress(text);
  return isName(text.slice(0, open).trim()) && isAddress(text.slice(open + 1, -1));
}

const atomChar = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\u{10ffff}-]";
const dotAtom = new RegExp(`^${atomChar}+(?:\\.${atomChar}+)*$`, "u");
const quoted = /^"(?:[^"\\\p{Cc}]|\t|\\[ -~\t])*"$/u;
const domainLiteral = /^\[[^[\]\\\s]*\]$/;

function isAddress(address: string): boolean {
  const at = address.lastIndexOf("@");
  if (at < 1) return false;
  const local = address.slice(0, at);
  const domain = address.slice(at + 1);
  return (
    (dotAtom.test(local) || (quoted.test(local) && local.length > 2)) &&
    (dotAtom.test(domain) || domainLiteral.test(domain))
  );
}

function isName(name: string): boolean {
  if (name === "" || quoted.test(name)) return true;
  return name
    .split(/[ \t]+/)
    .every((word) => dotAtom.test(word) || quoted.test(word) || /^[^"<>()@,:;\\]+$/.test(word));
}
