//! What the page is allowed to do: its own style and script, by their hashes, and nothing else.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The content security policy of a page with this style and script.
///
/// Sources by hash are those of Content Security Policy Level 3, "hash-source": the base64 of the SHA-256 of the text
/// between the tags.
pub(super) fn policy(style: &str, script: &str) -> String {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(style),
        hash(script)
    )
}

#[cfg(test)]
mod tests {
    use super::policy;

    #[test]
    fn only_what_has_the_hash_is_allowed() {
        // The hash of the empty text is well known.
        assert_eq!(
            policy("", ""),
            "default-src 'none'; style-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; \
             script-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; base-uri 'none'; form-action 'none'"
        );
    }
}
