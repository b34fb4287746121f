/** MiniZinc text with highlighting, to read and to edit: loaded when it is needed. */

import { createEditor, type PrismEditor } from "prism-code-editor";
import { highlightBracketPairs } from "prism-code-editor/highlight-brackets";
import { matchBrackets } from "prism-code-editor/match-brackets";
import { highlightText, languages } from "prism-code-editor/prism";
import { insertText } from "prism-code-editor/utils";
import type { Language } from "../../core/data";

/** Declares the words of MiniZinc, once. */
function learn({ keywords, names }: Language): void {
  const anyOf = (words: string[]): RegExp => new RegExp(`\\b(?:${words.join("|")})\\b`);
  languages.minizinc ??= {
    comment: /%.*/,
    keyword: anyOf(keywords),
    function: /\b[A-Za-z]\w*(?=\s*\()/,
    number: /\b\d+\b/,
    constant: /\b[A-Z][A-Z0-9_]*\b/,
    variable: anyOf(Object.keys(names)),
    operator: /<->|->|<-|\\\/|\/\\|[<>!=]?=|\.\.|\+\+|[-+*/<>|^]/,
    punctuation: /[()[\]{},;:]/,
  };
}

/** Puts an editor into an element. The textarea in it is a real one. */
export function edit(
  holder: HTMLElement,
  value: string,
  language: Language,
  onUpdate?: (text: string) => void,
): PrismEditor {
  learn(language);
  const options = {
    language: "minizinc",
    value,
    lineNumbers: false,
    wordWrap: true,
    readOnly: !onUpdate,
    onUpdate,
  };
  return createEditor(holder, options, matchBrackets(), highlightBracketPairs());
}

export function highlighted(text: string, language: Language): string {
  learn(language);
  return highlightText(text, "minizinc");
}

/** Inserts a text at the cursor, which moves to its `|`. */
export function insert(editor: PrismEditor, text: string): void {
  const cut = text.indexOf("|");
  const at = editor.getSelection()[0];
  insertText(editor, text.replace("|", ""), null, null, cut < 0 ? null : at + cut);
}
