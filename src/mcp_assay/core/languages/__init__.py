"""What a call's arguments say in languages that can write: SQL, GraphQL, Cypher, SPARQL, verbs and paths.

Each language has one pure function ``why_not(text)``: None if the text is a read, else why it is not, in words that
hold nothing of the text. All are total and bounded: what is too long or too deep is not a read.
"""
