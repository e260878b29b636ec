// Counts in one source file: doc comments that begin with a relative word, and declared names from identifiers.md.
// It matches lines and keywords instead of parsing, so that `make check` is fast and needs no parser.

const RELATIVE = "(?:What|How|Where|Who|Which|Of|Whose|Until|So|Under|Whoever|Whatever)\\b";
const LINE_DOC = /^[ \t]*\/\/[/!](?!\/)/;
const RELATIVE_LINE = new RegExp(`^[ \\t]*//[/!][ \\t]*${RELATIVE}`);
const RELATIVE_BLOCK = new RegExp(`/\\*\\*(?:[ \\t]*\\n[ \\t]*\\*)?[ \\t]*${RELATIVE}`, "g");

const RUST_DECLARATION =
  /\b(?:fn|struct|enum|union|trait|type|mod|const|static|let(?=\s+(?:mut\s+)?[a-z_]))\s+(?:mut\s+)?(?!(?:fn|mut)\b)([A-Za-z_]\w*)/g;
const SCRIPT_DECLARATION =
  /\b(?:function|const|let|var|class|interface|type|enum)\b\s*\*?\s*(?!(?:enum|of|in|from)\b)([A-Za-z_$][\w$]*)/g;

const isRust = (path) => path.endsWith(".rs");
const withoutComments = (text) => text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(?<![:"'`/\\])\/\/.*$/gm, "");

/** Doc comments whose first word is relative: the first line of a `///` or `//!` block, or of a block comment. */
export function relativeComments(path, text) {
  if (!isRust(path)) return text.match(RELATIVE_BLOCK) ?? [];
  const lines = text.split("\n");
  return lines.filter((line, index) => RELATIVE_LINE.test(line) && !LINE_DOC.test(lines[index - 1] ?? ""));
}

/** The entries in the left column of a table of identifiers: `MOST_…` becomes `MOST`. */
export function entriesOf(table) {
  const cells = table.split("\n").flatMap((line) => line.match(/^\| (`.*?) \|/)?.[1] ?? []);
  return cells.flatMap((cell) => cell.match(/(?<=`)[A-Za-z][\w…]*(?=`)|(?<=`…_)\w+(?=`)/g) ?? []).map((entry) => entry.replace(/_?…/, ""));
}

/** A name in lower snake case with delimiters: `_told_of_` for `toldOf`, `_most_lines_` for `MOST_LINES`. */
const snakeCase = (name) => `_${name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g)?.join("_").toLowerCase()}_`;

/**
 * Whether a name contains an entry as a word. An entry in lower case applies everywhere, one in capitals (`WITHIN`) to
 * constants, a capitalised one (`Parts`) to types.
 */
export function containsEntry(name, entries) {
  const isConstant = /^[A-Z][A-Z\d_]*$/.test(name);
  const isType = !isConstant && /^[A-Z]/.test(name);
  const applies = (entry) =>
    entry === entry.toLowerCase() || (entry === entry.toUpperCase() ? isConstant : isType);
  return entries.some((entry) => applies(entry) && snakeCase(name).includes(snakeCase(entry)));
}

/**
 * The names that a file declares by keyword: functions, types, modules, constants and variables. Fields, parameters,
 * class methods and destructured names are not counted.
 */
export function declaredNames(path, text) {
  const declarations = withoutComments(text).matchAll(isRust(path) ? RUST_DECLARATION : SCRIPT_DECLARATION);
  return [...declarations].map(([, name]) => name);
}
