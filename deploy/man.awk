# Makes a manual page of what `gpulab help` or `gpulab help COMMAND` prints. Variables: page (gpulab-run), version, and summary (of one
# line).
function escape(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    return text ~ /^[.']/ ? "\\&" text : text
}
function section(title, next_in) {
    if (in_ == "synopsis") print ".fi"
    print ".SH " toupper(title)
    in_ = next_in
}
BEGIN {
    printf ".TH %s 1 \"\" \"gpulab %s\" \"gpulab\"\n.SH NAME\n%s \\- %s\n", toupper(page), version, escape(page), escape(summary)
}
/^gpulab [0-9]/ { next } # name, version and summary again
/^$/            { blank = 1; next }

/^Usage: /                       { section("Synopsis", "synopsis"); print ".nf"; print escape(substr($0, 8)); blank = 0; next }
in_ == "synopsis" && /^ / && !blank { print escape(substr($0, 8)); next }

# The title of a list; its items are indented by two columns, with their texts behind or below them.
blank && /^[A-Z][A-Za-z ]*$/ { section($0, "list"); blank = 0; next }
in_ == "list" && /^  [^ ]/ {
    sub(/^  /, "")
    named = match($0, /  +/)
    print ".TP\n.B " escape(named ? substr($0, 1, RSTART - 1) : $0)
    if (named) print escape(substr($0, RSTART + RLENGTH))
    blank = 0
    next
}
in_ == "list" && /^   / { sub(/^ +/, ""); print escape($0); next }

# Paragraphs, and indented lines, which stay as they are.
in_ == "synopsis" { section("Description", "text"); blank = 0 }
in_ == "list"     { section("More", "text"); blank = 0 }
blank             { print ".PP"; blank = 0 }
/^ /              { print ".nf\n" escape($0) "\n.fi"; next }
                  { print escape($0) }
