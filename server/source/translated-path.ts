/** The languages of translated documents, as their folders and files are named. */
const documentLanguages = "ar|bn|cs|da|de|el|es|fa|fi|fr|he|hi|hu|id|it|ja|ko|nl|no|pl|pt|ro|ru|sv|th|tr|uk|ur|vi|zh";

/**
 * Matches the path of a translation in lower case: `readme-ja.md`, `docs/guide.zh-cn.md`, `readme_pt_br.md`, and what is
 * in a folder such as `docs/fr/` and `src/site/zh_cn/`.
 */
export const translatedDocument = new RegExp(
  String.raw`(?:^|/)[^/]+[-_.](?:${documentLanguages}|cn|jp|kr|tw)(?:[-_](?:[a-z]{2}|hans|hant|latn|cyrl))?\.(?:md|markdown|mdx|rst|adoc|txt)$|(?:^|/)(?:docs?|site)/(?:.*/)?(?:${documentLanguages})(?:[-_][a-z]{2,4})?/`,
);
